import { lazy } from 'react';
import type { ReportReview } from '@offizin/contracts/console-reports';
import { useFormats, useLanguage } from '../text/texts';
import { BarReport } from './bar-report';
import { writtenDuration } from './duration';
import { ReportFigure } from './report-figure';
import { useReportTexts } from './report-texts';

const HeatMap = lazy(() => import('../plots/heat-map'));

/** Every so many hours one is named below the map. */
const NAMED_HOURS = 3;

interface Props {
  review: ReportReview;
}

/** How long requests wait for their decision, by the hour of their submission in Berlin. */
export function Waiting({ review }: Props) {
  const texts = useReportTexts();
  const language = useLanguage();
  const { number } = useFormats();
  const written = (seconds: number) => writtenDuration(seconds, language);
  if (review.median_s === null || review.p95_s === null) return null;
  const cells = review.by_hour.flatMap(({ weekday, hours }) =>
    hours.map((cell) => ({
      ...cell,
      weekday,
      when: texts.hour(texts.weekdays[weekday - 1] ?? '', cell.hour),
    })),
  );
  return (
    <ReportFigure
      title={texts.waiting}
      note={texts.waitingNote}
      asPlot={texts.asMap}
      plot={
        <HeatMap
          label={texts.waitingLabel(written(review.median_s), written(review.p95_s))}
          columns={Array.from({ length: 24 }, (_, hour) => (hour % NAMED_HOURS === 0 ? String(hour) : null))}
          rows={texts.weekdays.map((name, day) => ({
            name,
            cells: cells
              .filter(({ weekday }) => weekday === day + 1)
              .map(({ when, decided, median_s: value }) => ({
                value,
                title: value === null ? when : texts.waited(when, written(value), number(decided)),
              })),
          }))}
        />
      }
      columns={[
        { name: texts.column.submitted },
        { name: texts.column.decided, written: number },
        { name: texts.column.median, written },
      ]}
      rows={cells
        .filter(({ decided }) => decided > 0)
        .map(({ when, decided, median_s: value }) => [when, decided, value])}
    />
  );
}

export function Reasons({ review: { reasons } }: Props) {
  const texts = useReportTexts();
  const { number } = useFormats();
  return (
    <BarReport
      title={texts.reasons}
      note={texts.requestsNote}
      bars={reasons.map(({ reason, requests }) => ({ name: texts.reason[reason], value: requests }))}
      written={number}
      columns={[{ name: texts.column.reason }, { name: texts.column.requests, written: number }]}
      rows={reasons.map(({ reason, requests }) => [texts.reason[reason], requests])}
    />
  );
}
