import type { OrderStatus, PaymentStatus } from '@offizin/contracts/orders/orders';
import type { ReviewFlag, ReviewRow } from '@offizin/contracts/requests/review';

/** The words of a file that a person saves in German. Files of the interface keep the names of the contract. */

/** Of the values of a column. */
export type CsvWords = Readonly<Record<string, string>>;

const HEADS: CsvWords = {
  order_id: 'Auftrags-ID',
  order_number: 'Auftragsnummer',
  external_id: 'Externe ID',
  status: 'Status',
  payment_status: 'Zahlung',
  payment_reference: 'Zahlungsreferenz',
  shop_id: 'Shop-ID',
  shop_name: 'Shop',
  customer_name: 'Kunde',
  customer_email: 'E-Mail',
  address_street: 'Straße',
  address_postal_code: 'PLZ',
  address_city: 'Ort',
  address_phone: 'Telefon',
  shipping_option: 'Lieferung',
  total_amount: 'Summe',
  total_is_given: 'Summe vorgegeben',
  erased_at: 'Kunde gelöscht am',
  parcels: 'Pakete',
  lots: 'Chargen',
  told_at: 'Informiert am',
  order_datetime: 'Bestellt am',
  created_at: 'Angelegt am',
  updated_at: 'Geändert am',
  line: 'Position',
  p1_id: 'Produktnummer',
  product_name: 'Produkt',
  quantity: 'Menge',
  unit_price: 'Einzelpreis',
  order_request_id: 'Anfrage-ID',
  source: 'Quelle',
  external_reference: 'Referenz',
  lines: 'Positionen',
  line_count: 'Anzahl Positionen',
  flags: 'Hinweise',
  version: 'Version',
  first_approval_by: 'Erste Freigabe von',
  first_approval_at: 'Erste Freigabe am',
  expires_at: 'Läuft ab am',
  assigned_to: 'Zuständig',
  parked_until: 'Zurückgestellt bis',
  integration: 'Partner',
  name: 'Name',
  category: 'Gruppe',
  price: 'Preis',
  stock_quantity: 'Bestand',
  reserved_quantity: 'Reserviert',
  available_quantity: 'Verfügbar',
  low_stock_threshold: 'Meldegrenze',
  available: 'Im Verkauf',
  pzn: 'PZN',
  codes: 'GTIN',
  position: 'Stelle',
  at: 'Zeit',
  actor: 'Wer',
  action: 'Aktion',
  object: 'Objekt',
  request_id: 'Vorgangsnummer',
};

export const ORDER_WORDS = {
  pending: 'Neu',
  awaiting_payment: 'Wartet auf Zahlung',
  awaiting_packing: 'Zu packen',
  ready_pickup: 'Abholbereit',
  shipped: 'Versendet',
  picked_up: 'Abgeholt',
  completed: 'Abgeschlossen',
  cancelled: 'Storniert',
} satisfies Record<OrderStatus, string>;

export const PAYMENT_WORDS = {
  paid: 'bezahlt',
  pending: 'unbezahlt',
  cash_on_pickup: 'bar bei Abholung',
  refunded: 'erstattet',
  failed: 'fehlgeschlagen',
} satisfies Record<PaymentStatus, string>;

export const REQUEST_WORDS = {
  pending: 'Offen',
  approved: 'Freigegeben',
  rejected: 'Abgelehnt',
  needs_clarification: 'Rückfrage',
  expired: 'Abgelaufen',
  cancelled: 'Zurückgezogen',
} satisfies Record<ReviewRow['status'], string>;

export const FLAG_WORDS = {
  used_before: 'Früher eingereicht',
  duplicate: 'Dublette?',
  signature_altered: 'Nach Signatur geändert',
  document_missing: 'Kein Rezept',
  document_failed: 'Rezept nicht geladen',
  express: 'Express',
  new_version: 'Neue Version',
  expires_soon: 'Läuft bald ab',
  due_again: 'Wieder fällig',
  offer_open: 'Angebot offen',
  offer_accepted: 'Angebot angenommen',
  offer_declined: 'Angebot abgelehnt',
  offer_expired: 'Angebot abgelaufen',
} satisfies Record<ReviewFlag, string>;

export const YES_OR_NO: CsvWords = { true: 'ja', false: 'nein' };

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const BERLIN = new Intl.DateTimeFormat('de-DE', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'Europe/Berlin',
});

export function germanHead(name: string): string {
  return HEADS[name] ?? name;
}

/** Times of Berlin; a cell of several values has a comma between their words. */
export function germanCell(value: string, words: CsvWords | undefined): string {
  if (words)
    return value
      .split(' ')
      .map((each) => words[each] ?? each)
      .join(', ');
  return TIME.test(value) ? BERLIN.format(new Date(value)) : value;
}
