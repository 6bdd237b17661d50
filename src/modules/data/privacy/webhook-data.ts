import { and, asc, eq, isNull, sql } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { runsOf } from '../../../lib/runs'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { isObject } from '../../../platform/lenient-json'
import { unpackBody } from '../../../platform/webhook/pack-body'
import { personIdIn, redactPerson, type PersonPart } from '../../../platform/webhook/redact-person'
import { phoneIdsOf } from '../../channel/accounts/queries'
import { identitiesOfPerson } from '../../inbox/contacts/erase/erase'
import { inboundBodies, inboundEvents } from '../../channel/inbound/table'

/** Number of webhook changes read at once. */
const PAGE = 100

/** The data about a person in one change of a webhook delivery. */
interface PersonalData {
  received_at: string
  field: string | null
  phone_number_id: string | null
  parts: PersonPart[]
}

/**
 * Yields the data about a contact in stored webhook deliveries: exactly the values that an erasure
 * removes, and no data about others. Includes deliveries for the organization's numbers while they
 * were not connected. Oldest first, one delivery body per step, because opening a body is
 * expensive.
 */
export function* webhookDataOf(ctx: Ctx, contactId: string): Generator<PersonalData[]> {
  const names = new Set(identitiesOfPerson(ctx, contactId))
  if (names.size === 0) return
  const own = new Set(phoneIdsOf(ctx))
  const isTheirs = (value: unknown): boolean => names.has(personIdIn(value) ?? '')
  for (const isOfNobody of [false, true])
    for (const rows of pagesOf(ctx, isOfNobody)) {
      yield [] // a page of changes of others is a step too
      for (const run of runsOf(
        rows.filter(({ phoneNumberId }) => !isOfNobody || own.has(phoneNumberId ?? '')),
        ({ bodyId }) => bodyId,
      ))
        yield personalDataIn(ctx, run, isTheirs)
    }
}

/**
 * Returns the data about a person in the changes of one delivery body; empty if the body was
 * deleted.
 */
function personalDataIn(
  ctx: Ctx,
  rows: Row[],
  isTheirs: (value: unknown) => boolean,
): PersonalData[] {
  const body = openedBody(ctx, rows[0]?.bodyId ?? 0)
  return rows
    .map((row) => ({
      received_at: isoTime(row.receivedAtMs),
      field: row.field,
      phone_number_id: row.phoneNumberId,
      parts: redactPerson(valueIn(body, row), isTheirs).parts,
    }))
    .filter(({ parts }) => parts.length > 0)
}

/** Returns a delivery body as parsed JSON, or `null` if it was deleted. */
function openedBody({ db }: Ctx, id: number): unknown {
  const row = db.orm
    .select({ body: inboundBodies.body })
    .from(inboundBodies)
    .where(eq(inboundBodies.id, id))
    .get()
  return row ? JSON.parse(unpackBody(row.body).toString('utf8')) : null
}

interface Row {
  id: string
  bodyId: number
  receivedAtMs: number
  entryIndex: number
  changeIndex: number
  field: string | null
  phoneNumberId: string | null
}

function* pagesOf(ctx: Ctx, isOfNobody: boolean): Generator<Row[]> {
  const { id, bodyId, receivedAtMs, entryIndex, changeIndex, field, phoneNumberId } = inboundEvents
  for (let after = { receivedAtMs: -1, id: '' }; ;) {
    const beyond = sql`(${receivedAtMs}, ${id}) > (${after.receivedAtMs}, ${sql.param(after.id, id)})`
    const rows = ctx.db.orm
      .select({ id, bodyId, receivedAtMs, entryIndex, changeIndex, field, phoneNumberId })
      .from(inboundEvents)
      .where(
        isOfNobody
          ? and(isNull(inboundEvents.organizationId), beyond)
          : inOrganization(ctx, inboundEvents, beyond),
      )
      .orderBy(asc(receivedAtMs), asc(id))
      .limit(PAGE)
      .all()
    yield rows
    const last = rows.at(-1)
    if (rows.length < PAGE || !last) return
    after = last
  }
}

/** Returns a change's value from its delivery body, or `undefined` if it is missing. */
function valueIn(body: unknown, { entryIndex, changeIndex }: Row): unknown {
  const change = (body as { entry?: { changes?: unknown[] }[] } | null)?.entry?.[entryIndex]
    ?.changes?.[changeIndex]
  return isObject(change) ? change['value'] : null
}
