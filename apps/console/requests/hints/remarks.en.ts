import type { RemarkTexts } from './remarks.de';

export const remarks: RemarkTexts = {
  title: 'Allergies and comments',
  names: {
    allergies: 'Allergies',
    allergy: 'Allergy',
    comment: 'Comment',
    comments: 'Comments',
    customer_note: 'Customer’s note',
    intolerances: 'Intolerances',
    medication: 'Other medicines',
    message: 'Message',
    note: 'Note',
    notes: 'Notes',
    remark: 'Remark',
    remarks: 'Remarks',
  },
  ofLine: (line, name) => `Line ${line}: ${name}`,
};
