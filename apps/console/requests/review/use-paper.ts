import { useCallback, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ReviewDetail } from '@offizin/contracts/requests/review';
import type { Language } from '../../text/formats';
import { readableName, readableOf } from '../../text/customer-name';
import { useFormats, useLanguage } from '../../text/texts';
import type { Inkless } from '../paper/alarms';
import type { Place } from '../paper/crops';
import { kindIn, issueRule } from '../paper/issue-rule';
import type { WantedPaper } from '../paper/finding';
import type { LookedAt } from '../paper/look';
import type { PaperBeside } from '../paper/paper-beside';
import { loadPaperTexts } from '../paper/paper-texts';
import { type ReadPaper, textOf } from '../paper/read-paper';
import type { Left, ReadPapers } from './looks';

export type Paper = ReturnType<typeof usePaper>;

/**
 * What the prescriptions show of a request, and which pieces of them have been on the screen. The pane of each document
 * reads it and passes on what it has read so far, page by page; here it is looked at, and shown as it comes.
 */
export function usePaper(
  detail: ReviewDetail,
  read: ReadPapers,
  { nowMs, amberDays }: { nowMs: number; amberDays: number },
) {
  const papers = useSame(read.papers.length === 0 && read.isOpen ? null : read.papers);
  const latest = useLooked(detail, papers, { ...read, nowMs, amberDays });
  const { looked = null, Beside = null } = latest ?? {};
  const [seen, setSeen] = useState<readonly string[]>([]);
  const [inkless, setInkless] = useState<readonly Inkless[]>([]);
  const [wanted, setWanted] = useState<(Place & { at: number }) | null>(null);
  // A new version of a document has to be seen again, also where its pieces lie at the same places.
  const versions = detail.documents.map(({ number, version }) => `${number} ${version}`).join();
  const onSeen = useCallback(
    (key: string) => setSeen((before) => withOne(before, versions + key)),
    [versions],
  );
  const onInkless = useCallback((one: Inkless) => setInkless((before) => [...before, one]), []);
  const isComplete = latest?.of === papers && looked?.reading === null;
  const hasSeen = looked?.keys.every((key) => seen.includes(versions + key));
  const left: Left = !isComplete ? 'loading' : hasSeen ? null : 'crops-unseen';
  return {
    looked: looked && { ...looked, alarms: [...looked.inkless(inkless), ...looked.alarms] },
    Beside,
    versions,
    papers: papers ?? [],
    left,
    wanted,
    onSeen,
    onInkless,
    onPlace: ({ document, page, rotation, box }: Place) => {
      setWanted({ document, page, rotation, box, at: Date.now() });
    },
  };
}

function withOne(list: readonly string[], one: string): readonly string[] {
  return list.includes(one) ? list : [...list, one];
}

/** The list of before, as long as it has the same members. */
function useSame<One>(list: readonly One[] | null): readonly One[] | null {
  const [kept, setKept] = useState(list);
  const isSame =
    kept === list || (kept?.length === list?.length && kept?.every((one, at) => one === list?.[at]) === true);
  if (!isSame) setKept(list);
  return isSame ? kept : list;
}

/** What looks for the pieces and shows them. */
const parts = new Map<Language, Awaited<ReturnType<typeof importParts>>>();

function importParts(language: Language) {
  return Promise.all([import('../paper/look'), import('../paper/paper-beside'), loadPaperTexts(language)]);
}

/** Kept: each import, also of a loaded module, waits until the browser has drawn the page. */
async function loadParts(language: Language) {
  const loaded = parts.get(language) ?? (await importParts(language));
  parts.set(language, loaded);
  return loaded;
}

interface LookWithView {
  looked: LookedAt;
  Beside: typeof PaperBeside;
  /** The pages that had been read. */
  of: readonly ReadPaper[];
  key: string;
}

interface Looking extends Pick<ReadPapers, 'isOpen'> {
  nowMs: number;
  amberDays: number;
}

/** The latest look at these documents: pages may have been read since. */
function useLooked(
  detail: ReviewDetail,
  papers: readonly ReadPaper[] | null,
  { isOpen, nowMs, amberDays }: Looking,
): LookWithView | null {
  const language = useLanguage();
  const formats = useFormats();
  const [latest, setLatest] = useState<LookWithView | null>(null);
  // A locked screen keeps nothing of a document.
  if (papers === null && latest !== null) setLatest(null);
  useEffect(() => {
    // While the document is on its way: without the connection it could not be loaded later.
    void loadParts(language).catch(() => null);
  }, [language]);
  const kind = detail.marks.document_kind;
  const said = JSON.stringify(wantedOf(detail));
  const wanted = useMemo(() => JSON.parse(said) as WantedPaper, [said]);
  // A document of another kind has no pieces; beside it a prescription is named.
  const named = JSON.stringify(detail.documents.map(({ number, name }) => [number, name]));
  const key = [said, named, kind, amberDays, language].join();
  useEffect(() => {
    if (papers === null) return undefined;
    const left = new AbortController();
    const { signal } = left;
    const look = async (): Promise<void> => {
      const [{ lookAtPapers }, { PaperBeside: Beside }, texts] = await loadParts(language);
      const shown = kind ?? kindIn(papers.map(textOf).join('\f'));
      const rule = issueRule(shown, nowMs, amberDays);
      const names = JSON.parse(named) as [number, string | null][];
      const way = { names, rule, texts, formats, isOpen, signal };
      for await (const looked of lookAtPapers(papers, wanted, way)) {
        if (signal.aborted) return;
        // In turn with other updates, they would be shown long after the page.
        flushSync(() => setLatest({ of: papers, key, looked, Beside }));
      }
    };
    look().catch((error: unknown) => {
      // Without the pieces nothing may be decided: the page shows what failed.
      if (!signal.aborted)
        setLatest(() => {
          throw error;
        });
    });
    return () => {
      left.abort();
    };
  }, [papers, wanted, named, kind, amberDays, nowMs, language, formats, isOpen, key]);
  return papers !== null && latest?.key === key && isOfSame(latest.of, papers) ? latest : null;
}

/** Whether the papers are the same, of which more may have been read. */
function isOfSame(before: readonly ReadPaper[], papers: readonly ReadPaper[]): boolean {
  const isThere = ({ document }: ReadPaper): boolean => papers.some((paper) => paper.document === document);
  return before.length === 0 ? papers.length === 0 : before.every(isThere);
}

function wantedOf({ customer_name: customer, payload, lines }: ReviewDetail): WantedPaper {
  const born = payload['patient_birth_date'];
  return {
    customer: readableName(customer),
    born: typeof born === 'string' ? born : null,
    lines: lines.map(({ product_name, name, p1_id, quantity }) => {
      const names = [product_name, name].flatMap((each) => readableName(each) ?? []);
      return { names: names.length > 0 ? names : [readableOf(p1_id)], quantity };
    }),
  };
}
