import {
  and,
  asc,
  count,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lte,
  ne,
  notInArray,
  or,
  type SQL,
} from 'drizzle-orm'

import { InvalidError } from '../../lib/errors'
import { instantMs, isCalendarDate } from '../../lib/instant'
import { acrossOrganizations, type Deps } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import type { ReplayRequest } from './model'
import { inboundEvents } from './table'
import { yieldEvery } from '../../infra/event-loop'

/**
 * A time of a request, epoch milliseconds; `path` names it in the refusal. Throws InvalidError for
 * a time that is none.
 */
export const timeOf = (written: string | undefined, path: string): number | undefined => {
  if (written === undefined) return undefined
  const ms = isCalendarDate(written) ? Date.parse(written) : instantMs(written)
  if (ms === null)
    throw new InvalidError(`\`${path}\` is not a time.`, {
      code: 'invalid_input',
      errors: [{ path, message: 'is not a time' }],
    })
  return ms
}

/**
 * The condition for changes received in a span of time, ends included; `place` names the fields in
 * the refusal. Throws InvalidError for a time that is none.
 */
export function receivedWithin(
  span: { from?: string | undefined; to?: string | undefined },
  place: 'body' | 'query',
): SQL | undefined {
  const fromMs = timeOf(span.from, `${place}.from`)
  const toMs = timeOf(span.to, `${place}.to`)
  return and(
    fromMs === undefined ? undefined : gte(inboundEvents.receivedAtMs, fromMs),
    toMs === undefined ? undefined : lte(inboundEvents.receivedAtMs, toMs),
  )
}

/** Why a change is never worked off: the signature of its delivery does not speak for it. */
export const NOT_SIGNED_FOR = 'not_signed_for'

/**
 * The condition for the changes a request means; those under way and those nobody signed for are
 * left out. Throws InvalidError for a time that is none.
 */
function chosenBy(request: ReplayRequest): SQL | undefined {
  return and(
    notInArray(inboundEvents.state, ['pending', 'processing']),
    or(isNull(inboundEvents.reason), ne(inboundEvents.reason, NOT_SIGNED_FOR)),
    request.state === undefined ? undefined : eq(inboundEvents.state, request.state),
    request.field === undefined ? undefined : eq(inboundEvents.field, request.field),
    request.phone_number_id === undefined
      ? undefined
      : eq(inboundEvents.phoneNumberId, request.phone_number_id),
    receivedWithin(request, 'body'),
  )
}

/** Changes taken back to work in one step, and how long a step of counting takes, milliseconds. */
const AT_ONCE = 50
const STEP_MS = 5

/** What a change looks like before it is worked off (again). */
export const FRESH = {
  state: 'pending' as const,
  reason: null,
  processedAtMs: null,
  lastError: null,
  outcomes: '[]',
  messages: 0,
  statuses: 0,
  errors: 0,
  other: 0,
}

/** What is known of a change that goes back to work. */
export type Reopened = Pick<
  typeof inboundEvents.$inferSelect,
  'id' | 'organizationId' | 'field' | 'messages' | 'statuses'
>

/**
 * On which queue a change is worked off: statuses of a campaign must not delay what customers write,
 * nor must news about the account.
 */
export function queueOf(
  change: Pick<Reopened, 'field' | 'messages' | 'statuses'>,
): 'inbound' | 'inbound-status' | 'inbound-account' {
  if (change.field !== null && !CONVERSATION_FIELDS.has(change.field)) return 'inbound-account'
  return change.statuses > 0 && change.messages === 0 ? 'inbound-status' : 'inbound'
}

/** Fields whose changes are said in conversations now. */
const CONVERSATION_FIELDS = new Set(['messages', 'smb_message_echoes'])

/** Changes looked at in one step, whether a request means them or not. */
const LOOKED_AT = 1_000

/** The last one of the next thousand changes after an id; `null` when there are not so many. */
const endOfStep = (deps: Pick<Deps, 'db'>, after: string): string | null =>
  deps.db.orm
    .select({ id: inboundEvents.id })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a super admin replays changes of all organizations',
        gt(inboundEvents.id, after),
      ),
    )
    .orderBy(asc(inboundEvents.id))
    .limit(1)
    .offset(LOOKED_AT - 1)
    .get()?.id ?? null

/** The condition for changes after an id, up to another one where there is one. */
const between = (after: string, end: string | null): SQL | undefined =>
  and(gt(inboundEvents.id, after), end === null ? undefined : lte(inboundEvents.id, end))

/**
 * How many changes a request means, counted in steps with turns for others in between, and no
 * further than a step beyond `most`.
 */
export async function countChosen(
  deps: Pick<Deps, 'db'>,
  request: ReplayRequest,
  most: number,
): Promise<number> {
  const yieldIfDue = yieldEvery(STEP_MS)
  const chosen = chosenBy(request)
  let counted = 0
  for (let after: string | null = ''; after !== null && counted <= most;) {
    const end = endOfStep(deps, after)
    counted +=
      deps.db.orm
        .select({ rows: count() })
        .from(inboundEvents)
        .where(
          acrossOrganizations(
            'a super admin replays changes of all organizations',
            and(chosen, between(after, end)),
          ),
        )
        .get()?.rows ?? 0
    after = end
    await yieldIfDue()
  }
  return counted
}

/**
 * Takes up to 50 of the changes a request means back to pending, in the order of their ids after
 * `after` and of the next thousand changes at most. Returns them, and where to go on: `null` at the
 * end.
 */
export function reopenIn(
  tx: Tx,
  deps: Pick<Deps, 'db'>,
  request: ReplayRequest,
  after: string,
): { reopened: Reopened[]; next: string | null } {
  const { id, organizationId, field, messages, statuses } = inboundEvents
  const end = endOfStep(deps, after)
  const reopened = tx
    .select({ id, organizationId, field, messages, statuses })
    .from(inboundEvents)
    .where(
      acrossOrganizations(
        'a super admin replays changes of all organizations',
        and(chosenBy(request), between(after, end)),
      ),
    )
    .orderBy(asc(inboundEvents.id))
    .limit(AT_ONCE)
    .all()
  const ids = reopened.map((row) => row.id)
  if (ids.length > 0)
    tx.update(inboundEvents)
      .set(FRESH)
      .where(
        acrossOrganizations(
          'a super admin replays changes of all organizations',
          inArray(inboundEvents.id, ids),
        ),
      )
      .run()
  return { reopened, next: reopened.length === AT_ONCE ? (ids.at(-1) ?? null) : end }
}
