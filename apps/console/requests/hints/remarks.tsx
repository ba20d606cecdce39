import type { Remark } from '@offizin/contracts/requests/remark';
import { lazyTexts } from '../../text/texts';
import css from './remarks.module.css';

interface Props {
  remarks: readonly Remark[];
  /** Without frames. */
  isInText?: boolean;
}

/** What the partner wrote for a person to read, such as allergies. Nothing judges it. */
export default function Remarks({ remarks, isInText = false }: Props) {
  const texts = useRemarkTexts();
  return (
    <dl className={isInText ? css.inText : css.remarks} aria-label={texts.title}>
      {remarks.map(({ field, line, text }, index) => {
        const name = Object.hasOwn(texts.names, field) ? (texts.names[field] ?? field) : field;
        return (
          <div key={index}>
            <dt>{line === null ? name : texts.ofLine(line, name)}</dt>
            <dd>
              <bdi>{text}</bdi>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

const useRemarkTexts = lazyTexts({
  de: async () => (await import('./remarks.de')).remarks,
  en: async () => (await import('./remarks.en')).remarks,
});
