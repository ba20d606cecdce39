import type { PipelineOrder } from '@offizin/contracts/orders/pipeline';
import { differences } from './order-change';
import { useOrderTexts, useValueText } from './order-texts';
import css from './differences.module.css';

/** Two versions of an order beside each other, where they differ. */
export function Differences({ seen, present }: { seen: PipelineOrder; present: PipelineOrder }) {
  const texts = useOrderTexts();
  const valueText = useValueText();
  return (
    <table className={css.differences}>
      <thead>
        <tr>
          <td />
          <th scope="col">{texts.conflict.seen}</th>
          <th scope="col">{texts.conflict.present}</th>
        </tr>
      </thead>
      <tbody>
        {differences(seen, present).map(({ field, from, to }) => (
          <tr key={field}>
            <th scope="row">{texts.field(field)}</th>
            <td>{valueText(field, from)}</td>
            <td>
              <strong>{valueText(field, to)}</strong>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
