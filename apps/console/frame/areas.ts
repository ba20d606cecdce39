import type { Role } from '@offizin/contracts/people/roles';
import type { SessionResponse } from '@offizin/contracts/people/sessions';
import type { ComponentType } from 'react';
import {
  BarsIcon,
  BoxIcon,
  ChecklistIcon,
  DocumentIcon,
  InboxIcon,
  LayersIcon,
  PillIcon,
  ScanIcon,
  SettingsIcon,
  WebhookIcon,
} from '../controls/icon';
import type { Texts } from '../text/de';

interface Page<To extends string> {
  to: To;
  name: (texts: Texts) => string;
  roles: readonly Role[];
}

/** The entries of the rail: what exists, and who sees it. */
export interface Area extends Page<
  | '/requests'
  | '/orders'
  | '/orders/pack'
  | '/stock'
  | '/products'
  | '/prescriptions'
  | '/reports'
  | '/webhooks'
  | '/audit'
  | '/settings'
> {
  /** After `g`. */
  key: string;
  icon: ComponentType;
}

/** A page of the settings, listed in their navigation. */
export interface SettingsPage extends Page<
  | '/settings/me'
  | '/settings/staff'
  | '/settings/sign-on'
  | '/settings/keys'
  | '/settings/shops'
  | '/settings/workflow'
  | '/settings/review'
> {
  /** After `g`; few people come to most of them often. */
  key?: string;
}

const AREAS: readonly Area[] = [
  {
    to: '/requests',
    key: 'r',
    name: (texts) => texts.shell.requests,
    icon: InboxIcon,
    roles: ['owner', 'pharmacist'],
  },
  {
    to: '/orders',
    key: 'o',
    name: (texts) => texts.shell.orders,
    icon: BoxIcon,
    roles: ['owner', 'pharmacist', 'clerk'],
  },
  {
    to: '/orders/pack',
    key: 'k',
    name: (texts) => texts.shell.packing,
    icon: ScanIcon,
    roles: ['owner', 'pharmacist', 'clerk'],
  },
  {
    to: '/stock',
    key: 's',
    name: (texts) => texts.shell.stock,
    icon: LayersIcon,
    roles: ['owner', 'pharmacist', 'clerk'],
  },
  {
    to: '/products',
    key: 'p',
    name: (texts) => texts.shell.products,
    icon: PillIcon,
    roles: ['owner', 'pharmacist', 'clerk'],
  },
  {
    to: '/prescriptions',
    key: 'd',
    name: (texts) => texts.shell.prescriptions,
    icon: DocumentIcon,
    roles: ['owner', 'pharmacist'],
  },
  {
    to: '/reports',
    key: 'b',
    name: (texts) => texts.shell.reports,
    icon: BarsIcon,
    roles: ['owner', 'pharmacist'],
  },
  {
    to: '/webhooks',
    key: 'w',
    name: (texts) => texts.shell.webhooks,
    icon: WebhookIcon,
    roles: ['owner'],
  },
  {
    to: '/audit',
    key: 'a',
    name: (texts) => texts.shell.audit,
    icon: ChecklistIcon,
    roles: ['owner'],
  },
  {
    to: '/settings',
    key: 'e',
    name: (texts) => texts.shell.settings,
    icon: SettingsIcon,
    roles: ['owner', 'pharmacist', 'clerk'],
  },
];

const SETTINGS: readonly SettingsPage[] = [
  {
    to: '/settings/me',
    name: (texts) => texts.shell.settingsOf.me,
    roles: ['owner', 'pharmacist', 'clerk'],
  },
  { to: '/settings/staff', name: (texts) => texts.shell.settingsOf.staff, roles: ['owner'] },
  { to: '/settings/sign-on', name: (texts) => texts.shell.settingsOf.signOn, roles: ['owner'] },
  { to: '/settings/keys', name: (texts) => texts.shell.settingsOf.apiKeys, roles: ['owner'] },
  { to: '/settings/shops', name: (texts) => texts.shell.settingsOf.shops, roles: ['owner'] },
  { to: '/settings/workflow', name: (texts) => texts.shell.settingsOf.workflow, roles: ['owner'] },
  {
    to: '/settings/review',
    key: 'v',
    name: (texts) => texts.shell.settingsOf.review,
    roles: ['owner', 'pharmacist'],
  },
];

type Known = Pick<SessionResponse, 'staff' | 'has_prescriptions'>;

export function areasOf({ staff: { role }, has_prescriptions: hasPrescriptions }: Known): readonly Area[] {
  return AREAS.filter(
    ({ roles, to }) => roles.includes(role) && (to !== '/prescriptions' || hasPrescriptions),
  );
}

export function settingsOf(role: Role): readonly SettingsPage[] {
  return SETTINGS.filter(({ roles }) => roles.includes(role));
}

/** For keys and the palette. */
export function pagesOf(session: Known): readonly (Area | SettingsPage)[] {
  return [...areasOf(session), ...settingsOf(session.staff.role)];
}
