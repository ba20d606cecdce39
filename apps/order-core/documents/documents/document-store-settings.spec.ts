import { storeMistakes, storeSettings } from './document-store-settings';

const COMPLETE = {
  documentStoreUrl: 'https://s3.example.org/documents',
  documentStoreRegion: 'eu-central-1',
  documentStoreAccessKeyId: 'id',
  documentStoreSecretAccessKey: 'secret',
};

it('is not a store without a URL, whatever else is set', () => {
  const unset = { ...COMPLETE, documentStoreUrl: '' };
  expect([storeSettings(unset), storeMistakes(unset)]).toEqual([null, []]);
  expect(storeMistakes(COMPLETE)).toEqual([]);
});

it('names what a store lacks, and a URL to which no object can be appended', () => {
  for (const lacking of ['documentStoreAccessKeyId', 'documentStoreSecretAccessKey'])
    expect(storeMistakes({ ...COMPLETE, [lacking]: '' })).toEqual([expect.stringMatching(/ACCESS_KEY/)]);
  for (const end of ['?versionId=1', '#part'])
    expect(storeMistakes({ ...COMPLETE, documentStoreUrl: COMPLETE.documentStoreUrl + end })).toHaveLength(1);
  const withLogin = { ...COMPLETE, documentStoreUrl: 'https://id:secret@s3.example.org/documents' };
  expect(storeMistakes(withLogin)).toHaveLength(1);
});
