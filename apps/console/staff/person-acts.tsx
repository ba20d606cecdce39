import { LinkDialog } from './link-dialog';
import { PersonDialog } from './person-dialog';
import type { Person } from './staff.calls';
import { RemoveFactorDialog, SignOutDialog, SwitchDialog } from './switch-dialogs';

export type PersonAct = 'change' | 'link' | 'signOut' | 'removeFactor' | 'switch';

export interface OpenPerson {
  act: PersonAct;
  person: Person;
}

/** The dialog of what is done with a person. */
export default function PersonActs({ act, person, onClose }: OpenPerson & { onClose: () => void }) {
  switch (act) {
    case 'change':
      return <PersonDialog person={person} onClose={onClose} />;
    case 'link':
      return <LinkDialog person={person} onClose={onClose} />;
    case 'signOut':
      return <SignOutDialog person={person} onClose={onClose} />;
    case 'removeFactor':
      return <RemoveFactorDialog person={person} onClose={onClose} />;
    case 'switch':
      return <SwitchDialog person={person} onClose={onClose} />;
  }
}
