import { type Language, LOCALES } from '../text/formats';

const UNITS = [
  { unit: 'minute', seconds: 60, upToSeconds: 2 * 3600 },
  { unit: 'hour', seconds: 3600, upToSeconds: 2 * 86_400 },
  { unit: 'day', seconds: 86_400, upToSeconds: Infinity },
] as const;

/** A time as people say it: 45 min, 3.5 hrs, 2.1 days. Less than a minute counts as one. */
export function writtenDuration(seconds: number, language: Language): string {
  const { unit, seconds: size } = UNITS.find(({ upToSeconds }) => seconds < upToSeconds) ?? UNITS[2];
  const digits = unit === 'minute' ? 0 : 1;
  const format = new Intl.NumberFormat(LOCALES[language], {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  });
  return format.format(Math.max(unit === 'minute' ? 1 : 0, seconds / size));
}
