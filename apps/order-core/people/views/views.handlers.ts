import { Controller } from '@nestjs/common';
import { Handles } from '@offizin/bus/handles';
import type { Caller } from '@offizin/contracts/calls/caller';
import { invalid, notFound, Refused } from '@offizin/contracts/calls/errors';
import { type Answer, type Call, created, noContent, ok } from '@offizin/contracts/calls/operation';
import {
  createView,
  listViews,
  MAX_OWN_VIEWS,
  MAX_SHARED_VIEWS,
  removeView,
  updateView,
  type View,
  type ViewChanges,
  type ViewListResponse,
  type ViewScreen,
} from '@offizin/contracts/console/views';
import { storeAnswer } from '@offizin/idempotency/stored-answer';
import { requireMatch } from '@offizin/operations/entity-tags';
import { Database, isUniqueViolation, type Sql } from '@offizin/pg/database';
import { isId, newId } from '@offizin/pg/ids';
import { appendAudit } from '../../audit/audit.store';
import { lockOrganization } from '../directory/organizations.store';
import { assertCallerIsLive, callerNotLive, liveTransaction } from '../../callers/live-caller.store';
import { lockPerson } from '../staff/staff.store';
import { normalized, problemsOf, scopeOf, screensOf } from './view-rules';
import * as store from './views.store';

/** Saved views: the own ones of each person, and those that owners share with the organization. */
@Controller()
export class ViewsHandlers {
  constructor(private readonly database: Database) {}

  @Handles(listViews)
  async list({ caller, query }: Call<typeof listViews>): Promise<Answer<ViewListResponse>> {
    const { screen } = query;
    const screens = screensOf(caller.scopes).filter((one) => screen === undefined || one === screen);
    return ok({ data: await store.viewsOf(this.database, viewerOf(caller), screens) });
  }

  @Handles(createView)
  async create({ caller, body, keyRun }: Call<typeof createView>): Promise<Answer<View>> {
    requireFit(body.screen, body);
    requireScope(caller, scopeOf(body.screen));
    if (body.shared) requireScope(caller, 'views.share');
    return liveTransaction(this.database, caller, async (tx) => {
      await this.requireRoom(tx, caller, body.shared);
      const view = await named(normalized(body), (one) =>
        store.insertView(tx, newId(), viewerOf(caller), one),
      );
      await this.note(tx, caller, 'view.create', view.id);
      return storeAnswer(tx, keyRun, created(view));
    });
  }

  @Handles(updateView)
  async update({ caller, params, body, headers }: Call<typeof updateView>): Promise<Answer<View>> {
    const changes = givenOf(body);
    return this.database.transaction(async (tx) => {
      const before = await this.lock(tx, caller, params.viewId);
      requireMatch(headers['if-match'], tagOf(before), CHANGED_SINCE);
      const wanted = { ...before, ...changes };
      if (before.shared || wanted.shared) requireScope(caller, 'views.share');
      requireFit(before.screen, wanted);
      if (wanted.shared !== before.shared) await this.requireRoom(tx, caller, wanted.shared);
      const view = await named(normalized(wanted), (one) => store.changeView(tx, viewerOf(caller), one));
      const moved = view.shared ? 'view.share' : 'view.unshare';
      await this.note(tx, caller, view.shared === before.shared ? 'view.update' : moved, view.id);
      return ok(view, { etag: tagOf(view) });
    });
  }

  @Handles(removeView)
  async remove({ caller, params }: Call<typeof removeView>): Promise<Answer<never>> {
    await this.database.transaction(async (tx) => {
      const view = await this.lock(tx, caller, params.viewId);
      if (view.shared) requireScope(caller, 'views.share');
      await store.dropView(tx, view.id);
      await this.note(tx, caller, 'view.remove', view.id);
    });
    return noContent();
  }

  /** A view of a screen that the role does not read, or of another person, is unknown. */
  private async lock(tx: Sql, caller: Caller, viewId: string): Promise<View> {
    await assertCallerIsLive(tx, caller);
    const screens = screensOf(caller.scopes);
    const view = isId(viewId) ? await store.lockView(tx, viewerOf(caller), viewId, screens) : null;
    if (!view) throw notFound('view');
    return view;
  }

  /** Locks whose number of views is limited. */
  private async requireRoom(tx: Sql, caller: Caller, shared: boolean): Promise<void> {
    const { orgId, actorId } = caller;
    const locked = shared ? await lockOrganization(tx, orgId) : await lockPerson(tx, orgId, actorId);
    if (!locked) throw callerNotLive(caller);
    if (await store.hasRoom(tx, viewerOf(caller), shared)) return;
    throw new Refused(
      'conflict',
      shared
        ? `An organization has at most ${MAX_SHARED_VIEWS} shared views: remove one first.`
        : `A person has at most ${MAX_OWN_VIEWS} views: remove one first.`,
    );
  }

  private async note(tx: Sql, caller: Caller, action: string, viewId: string): Promise<void> {
    await appendAudit(tx, caller, action, `view:${viewId}`);
  }
}

/** A write that may meet another view of the name. */
async function named<Given extends { name: string }>(
  view: Given,
  write: (view: Given) => Promise<View>,
): Promise<View> {
  try {
    return await write(view);
  } catch (error) {
    if (!store.NAME_KEYS.some((key) => isUniqueViolation(error, key))) throw error;
    throw new Refused('conflict', `There is a view "${view.name}" of this screen: choose another name.`);
  }
}

function viewerOf({ orgId, actorId }: Caller): store.Viewer {
  return { orgId, staffId: actorId };
}

function requireScope({ scopes }: Caller, scope: Caller['scopes'][number]): void {
  if (scopes.includes(scope)) return;
  throw new Refused('insufficient_scope', `The role lacks the scope ${scope}.`);
}

function requireFit(screen: ViewScreen, content: Parameters<typeof problemsOf>[1]): void {
  const problems = problemsOf(screen, content);
  if (problems.length > 0) throw invalid(problems);
}

function givenOf({ name, query, columns, shared }: ViewChanges): Partial<View> {
  const given = {
    ...(name !== undefined && { name }),
    ...(query !== undefined && { query }),
    ...(columns !== undefined && { columns }),
    ...(shared !== undefined && { shared }),
  };
  if (Object.keys(given).length > 0) return given;
  throw invalid([{ field: 'body', message: 'must name at least one field to change' }]);
}

const CHANGED_SINCE = 'The view has changed since: read the views again and repeat.';

function tagOf({ version }: View): string {
  return `"${version}"`;
}
