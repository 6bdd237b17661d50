import { eq, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import type { PersonGone } from '../../inbox/contacts/events'
import { findContact } from '../../inbox/contacts/service'
import { segments } from './table'

/** What is written instead: the rule stays one that the list takes, and finds nobody. */
const ERASED = 'erased'

/** An e-mail address, or at least seven digits that are no date: it names one person in all likelihood. */
const isIdentifier = (text: string): boolean =>
  /^\S+@\S+$/u.test(text) ||
  (text.replaceAll(/\D/g, '').length >= 7 && !/^\d{4}-\d\d-\d\d/u.test(text))

/**
 * Takes the identifiers of a person who is being erased out of segments, in the transaction of the
 * erasure. Words that many may have, such as a city, stay.
 */
export function eraseSegmentsIn(tx: Tx, ctx: Ctx, { contactIds, gone }: PersonGone): void {
  const people = contactIds.flatMap((id) => {
    const row = findContact(ctx, id)
    return row === null
      ? []
      : [{ attributes: valuesIn(row.attributes), metadata: valuesIn(row.metadata) }]
  })
  const isOfPerson = (field: string, value: unknown): boolean => {
    if (typeof value !== 'string' || !isIdentifier(value.trim())) return false
    const [, space = '', key = ''] = /^(attributes|metadata)\.(.+)$/u.exec(field) ?? []
    return people.some((person) => {
      const own = space === 'attributes' || space === 'metadata' ? person[space][key] : undefined
      return typeof own === 'string' && own.toLowerCase().includes(value.trim().toLowerCase())
    })
  }
  const all = tx
    .select({ id: segments.id, filter: segments.filter })
    .from(segments)
    .where(
      inOrganization(
        ctx,
        segments,
        sql`(instr(${segments.filter}, '"attributes.') > 0 or instr(${segments.filter}, '"metadata.') > 0)`,
      ),
    )
    .all()
  const changed = all.filter(({ filter }) => eraseValues(filter, isOfPerson))
  for (const { id, filter } of changed)
    tx.update(segments)
      .set({ filter })
      .where(inOrganization(ctx, segments, eq(segments.id, id)))
      .run()
  gone.counts['segments'] = changed.length
  gone.ids.push(...changed.map(({ id }) => id))
}

const valuesIn = (json: string): Record<string, unknown> =>
  JSON.parse(json) as Record<string, unknown>

/** Takes values out of the conditions of a filter. Returns whether it had one. */
function eraseValues(
  node: unknown,
  isOfPerson: (field: string, value: unknown) => boolean,
): boolean {
  if (typeof node !== 'object' || node === null) return false
  if (Array.isArray(node)) return node.map((one) => eraseValues(one, isOfPerson)).includes(true)
  const condition = node as Record<string, unknown>
  const { field, value } = condition
  if (typeof field !== 'string') return eraseValues(Object.values(condition), isOfPerson)
  const listed: unknown[] = Array.isArray(value) ? value : [value]
  const kept = listed.filter((one) => !isOfPerson(field, one))
  if (kept.length === listed.length) return false
  if (kept.length === 0) kept.push(ERASED)
  condition['value'] = Array.isArray(value) ? kept : kept[0]
  return true
}
