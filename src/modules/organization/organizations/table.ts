import { sql } from 'drizzle-orm'
import { check, index } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'

/** Organizations, the tenants. Every row of tenant data has the ID of one. */
export const organizations = tableWithoutPeople(
  'organizations',
  'the business itself, with its settings',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    /** The name without case and accents, for search and order. */
    nameKey: text('name_key').notNull().default(''),
    slug: text('slug').notNull().unique(),
    maskPhoneNumbers: integer('mask_phone_numbers', { mode: 'boolean' }).notNull().default(false),
    /** `UTC` or a region/city name of the IANA time zone database. */
    timezone: text('timezone').notNull().default('UTC'),
    dateFormat: text('date_format').notNull().default('YYYY-MM-DD'),
    /** BCP 47; null for that of the oldest member. */
    language: text('language'),
    /**
     * Country of phone numbers without a country code, ISO 3166 alpha-2. Null requires a country
     * code.
     */
    defaultCountry: text('default_country'),
    registrationPolicy: text('registration_policy', { enum: ['open', 'invitation', 'closed'] })
      .notNull()
      .default('open'),
    /** Whether the platform may use what customers do with marketing messages. */
    messageActivitySharing: integer('message_activity_sharing', { mode: 'boolean' })
      .notNull()
      .default(false),
    /** Whether marketing templates are opted out of changes by the platform, unless they say otherwise. */
    creativeOptOut: integer('creative_opt_out', { mode: 'boolean' }).notNull().default(false),
    /** Whether marketing templates may have a highest price. */
    templateMaxPrice: integer('template_max_price', { mode: 'boolean' }).notNull().default(false),
    /** Whether push notifications contain the contact's name and the text. */
    pushShowsContent: integer('push_shows_content', { mode: 'boolean' }).notNull().default(false),
    /**
     * Where conversations without a person or team wait: `nobody`, `general` for the general queue, or
     * the ID of a team.
     */
    newConversations: text('new_conversations').notNull().default('general'),
    /** Monthly budget `{monthlyMicros, currency, warnAt, atLimit}`, JSON. */
    spend: text('spend'),
    /** The last warning about the budget `{month, percent}`, JSON. */
    spendWarned: text('spend_warned'),
    /** When the checklist of the first steps was dismissed; `null` while it is shown. */
    setupDismissedAtMs: integer('setup_dismissed_at_ms'),
    /**
     * `deleting`: can be restored until `deletesAtMs`. `erasing`: its rows and files are being
     * deleted. `importing`: not complete yet; nobody sees it. `moving`: frozen while it is copied to
     * another server; it can be read. `moved`: another server has it; erased at `deletesAtMs`.
     */
    state: text('state', {
      enum: ['active', 'deleting', 'erasing', 'importing', 'moving', 'moved'],
    })
      .notNull()
      .default('active'),
    /** When the erasure of an organization that is deleted or has moved begins. */
    deletesAtMs: integer('deletes_at_ms'),
    /** Address of the server that has an organization which has moved. */
    movedTo: text('moved_to'),
    /**
     * How often it has moved from server to server; of one that has moved, with the move that took it away.
     * The server with the highest number knows best where it is.
     */
    moves: integer('moves').notNull().default(0).business({ vouched: 'in moves' }),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    check('organizations_id', sql`length(${table.id}) = 16`),
    index('organizations_by_name').on(table.nameKey, table.id),
    check(
      'organizations_policy',
      sql`${table.registrationPolicy} in ('open', 'invitation', 'closed')`,
    ),
    index('organizations_leaving')
      .on(table.state, table.deletesAtMs)
      .where(sql`${table.state} <> 'active'`),
    check(
      'organizations_state',
      sql`${table.state} in ('active', 'deleting', 'erasing', 'importing', 'moving', 'moved')`,
    ),
    check(
      'organizations_deletes',
      sql`(${table.state} in ('deleting', 'moved')) = (${table.deletesAtMs} is not null)`,
    ),
    check('organizations_moves', sql`${table.moves} >= 0`),
    check('organizations_moved', sql`(${table.state} = 'moved') = (${table.movedTo} is not null)`),
  ],
)
