import type { PaperTexts } from './paper.de';

const FOUND = { name: 'Patient’s name', birth: 'Date of birth', prescriber: 'Prescriber' };

const place: PaperTexts['place'] = ({ document, page }, names) =>
  names ? `Document ${document}${names[document] ?? ''}, page ${page}` : `Page ${page}`;

/** Texts beside the pieces of a prescription. */
export const paper: PaperTexts = {
  title: 'The prescription, line by line',
  place,
  head: 'Header',
  foot: 'Prescriber and signature',
  instead: 'The prescription says:',
  stamps: 'Stamps, annotations, large print',
  origin: { field: 'from a form field', note: 'from an annotation' },
  show: 'Show in the document',
  reading: ({ read, count }) =>
    `The prescription is still being read: ${read} of ${count} pages. What is missing is reported after that.`,
  nothing: 'No ordered line was found on the prescription: please read it yourself.',
  failed: 'This excerpt cannot be shown: please read it in the document.',
  alarm: {
    missing: ({ name }) => `${name} is not on the prescription`,
    strength: ({ name }) => `${name}: the prescription gives a different strength`,
    ink: ({ of, name }) => `${of === 'line' ? name : FOUND[of]}: invisible text on the prescription`,
    nameless: () => 'The patient’s name is not on the prescription',
    birth: ({ on, instead }, { date }) => `Date of birth: the prescription says ${instead}, not ${date(on)}`,
    word: ({ text }) => `The prescription says “${text}”`,
    picture: ({ pages, document }, { names }) => {
      const [page = 1] = pages;
      if (pages.length === 1)
        return `${place({ document, page }, names)} is an image: please read it yourself`;
      const of = names ? `Document ${document}${names[document] ?? ''}, pages` : 'Pages';
      return `${of} ${pages.slice(0, -1).join(', ')} and ${pages.at(-1)} are images: please read them yourself`;
    },
    amount: ({ name }) => `${name}: the prescription gives a different amount`,
    issued: ({ on, ageDays }, { date }) =>
      ageDays < 0
        ? `Issued on ${date(on)}, which is in the future`
        : `Issued on ${date(on)}, ${ageDays} days ago`,
    field: ({ name, text }) => `${name}: the patient field says “${text}”`,
    apart: ({ name, customer }) => `${name} and ${customer} never appear on the same page`,
    swapped: ({ customer }) => `${customer}: first name and surname are swapped on the prescription`,
    twice: (where, { names }) => `${place(where, names)}: two patient fields`,
    covered: (where, { names }) => `${place(where, names)}: an annotation covers text`,
  },
};
