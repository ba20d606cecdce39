import type { SettingsTexts } from './settings-de';

/** British English. */
export const settings: SettingsTexts = {
  acts: 'Actions',
  actsOn: (name) => `Actions: ${name}`,
  copy: 'Copy',
  copied: 'Copied.',
  shownOnce: 'Shown only now. Afterwards nobody can look it up, not even we.',
  shownBefore: 'The server has shown it before; its answer was lost. Please make a new one.',
  staff: {
    title: 'Staff',
    invite: 'Invite a person',
    you: 'you',
    off: 'switched off',
    invited: 'invited',
    seen: (age) => `Last signed in ${age}`,
    neverSeen: 'Has never signed in',
    acts: {
      change: 'Change name and role',
      link: 'New link',
      signOut: 'Sign out everywhere',
      switch: 'Switch off',
      switchOn: 'Switch on again',
    },
    name: 'Name',
    email: 'E-mail',
    role: 'Role',
    may: {
      owner: 'May do everything: staff, keys, shops, rules and audit log, and all the rest.',
      pharmacist: 'Reviews requests, sees prescriptions, handles and reopens orders, reads reports.',
      clerk: 'Handles orders, products and stock. Sees no prescriptions.',
    },
    makeLink: 'Make the link',
    link: 'Link',
    invitedTitle: (name) => `Invitation for ${name}`,
    linkTitle: {
      invitation: (name) => `Invitation for ${name}`,
      reset: (name) => `New password for ${name}`,
    },
    linkText: {
      invitation: 'Whoever has the link sets the password of this person. Earlier links then end.',
      reset:
        'Whoever has the link sets a new password. Until then the present one counts. Earlier links then end.',
    },
    linkEnds: (when) => `It works once, until ${when}. Give it to this person only.`,
    linkRefused: 'There is no link for this now. Please reload the page.',
    passedOn: 'I have passed the link on, or stored it.',
    taken: 'This e-mail address belongs to a person already.',
    tooMany: (most) => `An organization has at most ${most} people, switched-off ones included.`,
    lastOwner: 'The last owner stays. Make another person owner first.',
    changeTitle: (name) => `Change ${name}`,
    roleEndsSessions: 'With the new role the person signs in again.',
    save: 'Save',
    changed: (name) => `${name} is changed.`,
    switch: {
      off: {
        title: (name) => `Switch ${name} off?`,
        text: 'All sessions end within two seconds. The person is switched on again from here.',
        does: 'Switch off',
      },
      on: {
        title: (name) => `Switch ${name} on again?`,
        text: 'The person signs in with the password of before.',
        does: 'Switch on',
      },
    },
    switched: {
      off: (name) => `${name} is switched off.`,
      on: (name) => `${name} is switched on again.`,
    },
    signOutEverywhere: {
      title: (name) => `Sign ${name} out everywhere?`,
      text: 'All sessions end within two seconds. The password lets the person in again.',
      does: 'Sign out',
    },
    signedOut: (name) => `${name} is signed out everywhere.`,
  },
};
