import { and, asc, eq, isNull, sql } from 'drizzle-orm'

import { isoTime } from '../../lib/clock'
import { runsOf } from '../../lib/runs'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { isObject } from '../../platform/lenient-json'
import { personIdIn, redactPerson, type PersonPart } from '../../platform/webhook/redact-person'
import { phoneIdsOf } from '../accounts/queries'
import { identitiesOfPerson } from '../contacts/erase'
import { inboundBodies, inboundEvents } from '../inbound/table'

/** Changes read at once. */
const PAGE = 100

/** What one change of a delivery says of a person. */
interface Told {
  received_at: string
  field: string | null
  phone_number_id: string | null
  parts: PersonPart[]
}

/**
 * What the journal of deliveries holds of a contact: of each change the parts that name it by a
 * number or an id, which are those that erasing takes out, and nothing of others. Also of what came
 * for numbers of the organization while they were not connected. Oldest first, in steps of one body
 * each, which is opened once for all of its changes.
 */
export function* webhookDataOf(ctx: Ctx, contactId: string): Generator<Told[]> {
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
        yield toldIn(ctx, run, isTheirs)
    }
}

/** What changes of one body say of a person; nothing once it is gone. */
function toldIn(ctx: Ctx, rows: Row[], isTheirs: (value: unknown) => boolean): Told[] {
  const body = openedBody(ctx, rows[0]?.bodyId ?? '')
  return rows
    .map((row) => ({
      received_at: isoTime(row.receivedAtMs),
      field: row.field,
      phone_number_id: row.phoneNumberId,
      parts: redactPerson(valueIn(body, row), isTheirs).parts,
    }))
    .filter(({ parts }) => parts.length > 0)
}

/** A body of the journal as JSON; `null` once it is gone. */
function openedBody({ db }: Ctx, id: string): unknown {
  const row = db.orm
    .select({ body: inboundBodies.body })
    .from(inboundBodies)
    .where(eq(inboundBodies.id, id))
    .get()
  return row ? JSON.parse(Buffer.from(Bun.zstdDecompressSync(row.body)).toString('utf8')) : null
}

interface Row {
  id: string
  bodyId: string
  receivedAtMs: number
  entryIndex: number
  changeIndex: number
  field: string | null
  phoneNumberId: string | null
}

function* pagesOf(ctx: Ctx, isOfNobody: boolean): Generator<Row[]> {
  const { id, bodyId, receivedAtMs, entryIndex, changeIndex, field, phoneNumberId } = inboundEvents
  for (let after = { receivedAtMs: -1, id: '' }; ;) {
    const beyond = sql`(${receivedAtMs}, ${id}) > (${after.receivedAtMs}, ${after.id})`
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

/** The value of a change in its body; nothing where the body lacks it or is gone. */
function valueIn(body: unknown, { entryIndex, changeIndex }: Row): unknown {
  const change = (body as { entry?: { changes?: unknown[] }[] } | null)?.entry?.[entryIndex]
    ?.changes?.[changeIndex]
  return isObject(change) ? change['value'] : null
}
