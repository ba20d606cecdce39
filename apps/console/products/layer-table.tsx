import { type Field, FIELDS, layeredOf, LAYERS, sourceOf, type Product } from './layers';
import { useProductTexts } from './product-texts';
import { useValueText } from './use-value-text';
import css from './product-detail.module.css';

/** The values of the three layers side by side; the one that counts is highlighted, and said to a screen reader. */
export function LayerTable({ product }: { product: Product }) {
  const texts = useProductTexts();
  return (
    <>
      <p className={css.quiet}>{texts.valuesHint}</p>
      <table className={css.layers}>
        <thead>
          <tr>
            <td />
            {LAYERS.map((layer) => (
              <th key={layer} scope="col">
                {texts.layer[layer]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {FIELDS.map((field) => (
            <Row key={field} field={field} product={product} />
          ))}
        </tbody>
      </table>
    </>
  );
}

function Row({ field, product }: { field: Field; product: Product }) {
  const texts = useProductTexts();
  const valueText = useValueText();
  const values = layeredOf(product, field);
  const source = sourceOf(values);
  return (
    <tr>
      <th scope="row">{texts.field[field]}</th>
      {LAYERS.map((layer) => (
        <td key={layer}>
          {layer === source ? (
            <strong>
              {valueText(field, values[layer])}
              <span className={css.spoken}> {texts.counts}</span>
            </strong>
          ) : (
            valueText(field, values[layer])
          )}
        </td>
      ))}
    </tr>
  );
}
