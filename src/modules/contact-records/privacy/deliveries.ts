import { and, asc, eq, gt, isNull, or } from 'drizzle-orm'

import { isoTime } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { isObject } from '../../../platform/lenient'
import { nameIn, withoutPerson, type NamingPart } from '../../../platform/naming'
import { phoneIdsOf } from '../../accounts/state'
import { namesOfPerson } from '../../contacts/erasing'
import { inboundBodies, inboundEvents } from '../../inbound/table'

/** Changes read at once. */
const PAGE = 100

/** What one change of a delivery says of a person. */
interface Told {
  received_at: string
  field: string | null
  phone_number_id: string | null
  parts: NamingPart[]
}

/**
 * What the journal of deliveries holds of a contact: of each change the parts that name it by a number or an id, which are those that erasing
 * takes out, and nothing of others. Also of what came for numbers of the organization while they were not connected. In pages, oldest first.
 */
export function* toldInDeliveries(ctx: Ctx, contactId: string): Generator<Told[]> {
  const names = new Set(namesOfPerson(ctx, contactId))
  if (names.size === 0) return
  const own = new Set(phoneIdsOf(ctx))
  const isTheirs = (value: unknown): boolean => names.has(nameIn(value) ?? '')
  for (const isOfNobody of [false, true])
    for (const rows of pagesOf(ctx, isOfNobody))
      yield rows
        .filter(({ phoneNumberId }) => !isOfNobody || own.has(phoneNumberId ?? ''))
        .map((row) => ({
          received_at: isoTime(row.receivedAtMs),
          field: row.field,
          phone_number_id: row.phoneNumberId,
          parts: withoutPerson(valueIn(row), isTheirs).parts,
        }))
        .filter(({ parts }) => parts.length > 0)
}

interface Row {
  id: string
  receivedAtMs: number
  entryIndex: number
  changeIndex: number
  field: string | null
  phoneNumberId: string | null
  body: Uint8Array
}

function* pagesOf(ctx: Ctx, isOfNobody: boolean): Generator<Row[]> {
  const { id, receivedAtMs, entryIndex, changeIndex, field, phoneNumberId } = inboundEvents
  for (let after = { receivedAtMs: -1, id: '' }; ;) {
    const beyond = or(gt(receivedAtMs, after.receivedAtMs), and(eq(receivedAtMs, after.receivedAtMs), gt(id, after.id)))
    const rows = ctx.db.orm
      .select({ id, receivedAtMs, entryIndex, changeIndex, field, phoneNumberId, body: inboundBodies.body })
      .from(inboundEvents)
      .innerJoin(inboundBodies, eq(inboundBodies.id, inboundEvents.bodyId))
      .where(isOfNobody ? and(isNull(inboundEvents.organizationId), beyond) : inOrganization(ctx, inboundEvents, beyond))
      .orderBy(asc(receivedAtMs), asc(id))
      .limit(PAGE)
      .all()
    yield rows
    const last = rows.at(-1)
    if (rows.length < PAGE || !last) return
    after = last
  }
}

/** The value of a change in its body; nothing where the body lacks it. */
function valueIn({ body, entryIndex, changeIndex }: Row): unknown {
  const read = JSON.parse(Buffer.from(Bun.zstdDecompressSync(body)).toString('utf8')) as { entry?: { changes?: unknown[] }[] }
  const change = read.entry?.[entryIndex]?.changes?.[changeIndex]
  return isObject(change) ? change['value'] : null
}
