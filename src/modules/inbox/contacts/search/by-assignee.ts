import { and, asc, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm'

import { FEW_CANDIDATES, ROWS_PER_READ, type Candidates } from '../../../../infra/bounded-list'
import { anyScope, inOrganization } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { conversations } from '../../conversations/table'
import { contacts } from '../table'
import { type Scope, idsInOrder } from './candidates'
import { uuidPlaceholder } from '../../../../infra/db/uuid'

const isOwn = eq(contacts.assignedTo, uuidPlaceholder('userId'))

const countOwn = compiled((orm) =>
  orm
    .select({ rows: sql<number>`count(*)` })
    .from(
      orm
        .select({ one: sql`1`.as('one') })
        .from(contacts)
        .where(inOrganization(anyScope, contacts, isOwn))
        .limit(FEW_CANDIDATES + 1)
        .as('some'),
    )
    .prepare(),
)

const undatedOwn = compiled((orm) =>
  orm
    .select({ id: contacts.id })
    .from(contacts)
    .where(
      inOrganization(
        anyScope,
        contacts,
        and(isOwn, isNull(contacts.lastMessageAtMs), gt(contacts.id, uuidPlaceholder('after'))),
      ),
    )
    .orderBy(asc(contacts.id))
    .limit(ROWS_PER_READ)
    .prepare(),
)

const datedOwn = compiled((orm) =>
  orm
    .select({ id: contacts.id, atMs: contacts.lastMessageAtMs })
    .from(contacts)
    .where(
      inOrganization(
        anyScope,
        contacts,
        and(
          isOwn,
          isNotNull(contacts.lastMessageAtMs),
          sql`(${contacts.lastMessageAtMs}, ${contacts.id}) > (${sql.placeholder('atMs')}, ${uuidPlaceholder('after')})`,
        ),
      ),
    )
    .orderBy(asc(contacts.lastMessageAtMs), asc(contacts.id))
    .limit(ROWS_PER_READ)
    .prepare(),
)

const isConversationOwn = eq(conversations.assignedTo, uuidPlaceholder('userId'))

const countOwnConversations = compiled((orm) =>
  orm
    .select({ rows: sql<number>`count(*)` })
    .from(
      orm
        .select({ one: sql`1`.as('one') })
        .from(conversations)
        .where(inOrganization(anyScope, conversations, isConversationOwn))
        .limit(FEW_CANDIDATES + 1)
        .as('some'),
    )
    .prepare(),
)

const ownConversations = compiled((orm) =>
  orm
    .selectDistinct({ id: conversations.contactId })
    .from(conversations)
    .where(
      inOrganization(
        anyScope,
        conversations,
        and(isConversationOwn, gt(conversations.contactId, uuidPlaceholder('after'))),
      ),
    )
    .orderBy(asc(conversations.contactId))
    .limit(ROWS_PER_READ)
    .prepare(),
)

/** Returns the contacts assigned to a user, directly or through a conversation. */
export function contactsOfUser({ db, organizationId }: Scope, userId: string): Candidates {
  const at = { organizationId, userId }
  return {
    size: (countOwn(db).get(at)?.rows ?? 0) + (countOwnConversations(db).get(at)?.rows ?? 0),
    *batches() {
      yield* idsInOrder((after) => undatedOwn(db).all({ ...at, after }))
      for (let position = { atMs: -1, after: '' }; ;) {
        const rows = datedOwn(db).all({ ...at, ...position })
        yield rows.map(({ id }) => id)
        const last = rows.at(-1)
        if (rows.length < ROWS_PER_READ || !last) break
        position = { atMs: last.atMs ?? -1, after: last.id }
      }
      yield* idsInOrder((after) => ownConversations(db).all({ ...at, after }))
    },
  }
}
