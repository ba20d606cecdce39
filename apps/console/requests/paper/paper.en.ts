import type { PaperTexts } from './paper.de';

/** Texts beside the pieces of a prescription. */
export const paper: PaperTexts = {
  title: 'The prescription, line by line',
  place: (document, page) => (document === null ? `Page ${page}` : `Document ${document}, page ${page}`),
  head: 'Head',
  foot: 'Foot (prescriber)',
  instead: 'The prescription says:',
  origin: { field: 'from a form field', note: 'from an annotation' },
  show: 'Show in the document',
  nothing: 'No ordered line was found on the prescription: please read it yourself.',
  failed: 'This excerpt cannot be shown: please read it in the document.',
  alarm: {
    missing: ({ name }) => `${name}: not on the prescription`,
    strength: ({ name }) => `${name}: the prescription gives a different strength`,
    ink: ({ name }) => `${name}: on the prescription only as invisible text`,
    nameless: () => 'The patient’s name is not on the prescription',
    birth: ({ on, instead }) => `Date of birth: the prescription says ${instead}, not ${on}`,
    word: ({ text }) => `The prescription says “${text}”`,
    picture: ({ pages, document }) => {
      const place = document === null ? '' : `Document ${document}: `;
      return pages.length === 1
        ? `${place}Page ${pages[0]} is an image: please read it yourself`
        : `${place}Pages ${pages.join(', ')} are images: please read them yourself`;
    },
    amount: ({ name }) => `${name}: the prescription gives a different amount`,
    issued: ({ on, ageDays }) =>
      ageDays < 0 ? `Issued on ${on}, which is in the future` : `Issued on ${on}, ${ageDays} days ago`,
    field: ({ name, text }) => `${name}: the patient field says “${text}”`,
    apart: ({ name, customer }) => `${name} and ${customer} are not on the same page`,
    swapped: ({ customer }) => `${customer}: first name and surname are swapped on the prescription`,
    twice: ({ page }) => `Page ${page}: two patient fields`,
    covered: ({ page }) => `Page ${page}: an annotation covers text`,
  },
};
