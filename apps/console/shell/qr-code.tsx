import { correction, generate } from 'lean-qr';
import css from './second-factor.module.css';

/** Modules of empty space around the picture. Source: ISO/IEC 18004. */
const QUIET = 4;

/** Dark on light in both themes: cameras expect it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const picture = generate(text, { minCorrectionLevel: correction.M });
  const edge = picture.size + 2 * QUIET;
  const squares: string[] = [];
  for (let y = 0; y < picture.size; y += 1)
    for (let x = 0; x < picture.size; x += 1)
      if (picture.get(x, y)) squares.push(`M${x + QUIET} ${y + QUIET}h1v1h-1z`);
  return (
    <svg className={css.qr} viewBox={`0 0 ${edge} ${edge}`} role="img" aria-label={label}>
      <path d={squares.join('')} />
    </svg>
  );
}
