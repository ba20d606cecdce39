import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { parcelOf, takesParcel } from './parcel-number';

it.each([
  ['dhl', '00340434161094042557', '00340434161094042557'],
  ['dhl', ']C100340434161094042557', '00340434161094042557'],
  ['dhl', ' 0034 0434 1610 9404 2557 ', '00340434161094042557'],
  ['dhl', 'jjd000390007827012345', 'JJD000390007827012345'],
  ['dpd', '%008907301505012345678101276', '01505012345678'],
  ['dpd', '008907301505012345678101276', '01505012345678'],
  ['hermes', 'H1000730000862301015', 'H1000730000862301015'],
  ['ups', '1z 999 aa1 01 2345 6784', '1Z999AA10123456784'],
])('reads a label of %s: %s', (carrier, code, tracking_number) => {
  expect(parcelOf(code)).toEqual({ carrier, tracking_number });
});

it.each([
  ['an EAN-13', '4150123456782'],
  ['a GTIN-14', '04150123456782'],
  ['a PZN in Code 39', '-12345678'],
  ["a product's data matrix", '010415012345678217261231101234567'],
  ['a routing code of DHL', '20353000000000'],
  ['a bare number of DPD, Hermes or GLS', '01505012345678'],
  ['the container code of another sender', '00140434161094042557'],
  ['a number of 19 digits', '0034043416109404255'],
  ['a product id', 'BED-1'],
  ['nothing', ''],
])('takes %s for none', (_, code) => {
  expect(parcelOf(code)).toBeNull();
});

it('offers a parcel only where the server takes one', () => {
  const order: Pick<PipelineOrder, 'status' | 'erased_at' | 'parcels'> = {
    status: 'completed',
    erased_at: null,
    parcels: [],
  };
  const takes = (change: Partial<typeof order>) => takesParcel({ ...order, ...change } as PipelineOrder);
  expect([
    takes({}),
    takes({ status: 'cancelled' }),
    takes({ erased_at: '2026-01-01T00:00:00.000Z' }),
  ]).toEqual([true, false, false]);
  const parcel = { id: 'p', carrier: 'dhl', tracking_number: '1234', url: null, created_at: '' } as const;
  expect([19, 20].map((length) => takes({ parcels: Array<typeof parcel>(length).fill(parcel) }))).toEqual([
    true,
    false,
  ]);
});
