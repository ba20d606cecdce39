import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { SearchResponse } from '@offizin/contracts/console/search';
import { readableName, readableOf } from '../text/customer-name';
import { useFormats, useTexts } from '../text/texts';
import { call } from '../calls/api';
import { tabOf } from '../requests/review/filters';
import { sentenceOf } from '../messages/fault';
import { useSearchTexts } from './search-texts';
import { useSession } from '../session/session.calls';

/** Something to choose in the palette. */
export interface Command {
  id: string;
  name: string;
  key?: string;
  /** Beside the name, such as number and day. */
  facts?: readonly string[];
  run: () => void;
}

export interface CommandGroup {
  id: string;
  title: string;
  commands: readonly Command[];
}

/** As the server has it. */
const MIN_LETTERS = 2;
const MAX_LETTERS = 100;
/** One question per pause in typing, not one per letter. */
const PAUSE_MS = 150;

/** What the server finds, in groups without empty ones, and a sentence about the search. */
export function useFound(typed: string): { groups: CommandGroup[]; said: string } {
  const texts = useSearchTexts();
  const shared = useTexts();
  const q = useSettled(typed.trim().slice(0, MAX_LETTERS));
  const isAsked = q.length >= MIN_LETTERS;
  const { data, error } = useQuery({ ...searchAll(q), enabled: isAsked });
  const groups = useGroups(isAsked ? data : undefined);
  if (!isAsked) return { groups, said: '' };
  if (error) return { groups, said: texts.failed(sentenceOf(error, shared)) };
  if (!data) return { groups, said: texts.searching };
  const found = texts.found(groups.reduce((sum, { commands }) => sum + commands.length, 0));
  return { groups, said: data.products_searched ? found : `${found}. ${texts.noProducts}` };
}

function useGroups(found: SearchResponse | undefined): CommandGroup[] {
  const texts = useSearchTexts();
  const formats = useFormats();
  const { shops } = useSession();
  const navigate = useNavigate();
  if (!found) return [];
  const shopName = (id: string): string[] =>
    shops.length > 1 ? shops.filter(({ shop_id }) => shop_id === id).map(({ name }) => name) : [];
  const requests = found.requests.map((request) => ({
    id: `request ${request.id}`,
    name: readableName(request.customer_name) ?? texts.noName,
    facts: factsOf(
      [request.external_reference, ...shopName(request.shop_id)],
      formats.date(request.created_at),
    ),
    run: () => void navigate({ to: '/requests', search: { ...tabOf(request.status), id: request.id } }),
  }));
  const orders = found.orders.map((order) => ({
    id: `order ${order.id}`,
    name: readableName(order.customer_name) ?? texts.noName,
    facts: factsOf(
      [order.order_number ?? order.external_id, ...shopName(order.shop_id)],
      formats.date(order.created_at),
    ),
    run: () => void navigate({ to: '/orders', search: { id: order.id } }),
  }));
  const products = found.products.map(({ p1_id: id, name, available }) => ({
    id: `product ${id}`,
    name: readableOf(name, id),
    facts: [id, texts.stock(formats.number(available ?? 0))],
    run: () => void navigate({ to: '/stock', search: { id } }),
  }));
  return [
    { id: 'requests', title: texts.requests, commands: requests },
    { id: 'orders', title: texts.orders, commands: orders },
    { id: 'products', title: texts.products, commands: products },
  ].filter(({ commands }) => commands.length > 0);
}

function factsOf(given: readonly (string | null)[], day: string): string[] {
  return [...given.filter((fact) => fact !== null && fact !== ''), day].map(String);
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => {
      setSettled(value);
    }, PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [value]);
  return settled;
}

const FRESH_MS = 10_000;

/** Requests, orders and products, as far as the person may read them. */
function searchAll(q: string) {
  return queryOptions({
    queryKey: ['search', q],
    queryFn: ({ signal }) => call('GET', '/api/v2/public/orgs/{orgId}/search', { query: { q }, signal }),
    staleTime: FRESH_MS,
    // The next letter asks again.
    retry: false,
  });
}
