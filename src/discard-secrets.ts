import type { Database } from 'bun:sqlite'

import type { Deps } from './infra/ctx'
import { transact } from './infra/db/transact'
import { emptySealedIn, sealedColumns, type Exceptions } from './infra/keys/sealed-columns'
import { forgetLostSecretsIn } from './modules/channel/accounts/secrets'
import { renewLostSecretsIn } from './modules/delivery/webhooks/secrets'
import { forgetLostCodesIn } from './modules/inbox/messages/reencrypt'
import { forgetSignInsIn } from './modules/organization/auth/after-lost-key'

/** How a column of encrypted values is told to the operator. */
interface Lost {
  /** What must be entered again. */
  what: string
  /** SQL of the name of the thing it belongs to, with `t` for the row; defaults to `t.name`. */
  name?: string
}

/** Columns whose values nobody has to enter again: they are made anew, or nobody misses them. */
const NOT_MISSED = null

/** Every column of encrypted values. One that is not named here is refused. */
const COLUMNS: Record<string, Lost | typeof NOT_MISSED> = {
  'accounts.access_token_sealed': { what: 'access token of the number' },
  'accounts.app_secret_sealed': { what: 'app secret of the number' },
  // It goes on working by its hash; a number that has none to show gets a new one when it needs it.
  'accounts.verify_token_sealed': NOT_MISSED,
  'accounts.pin_sealed': { what: 'PIN of the number' },
  'accounts.flow_private_key_sealed': { what: 'new key for Flows of the number' },
  'accounts.flow_former_key_sealed': NOT_MISSED,
  'accounts.flow_next_key_sealed': NOT_MISSED,
  'flows.endpoint_secret_sealed': { what: 'secret of the endpoint of the Flow' },
  'flows.endpoint_headers_sealed': { what: 'headers of the endpoint of the Flow' },
  'webhook_endpoints.secret_sealed': { what: 'new signing secret, at the receiver of the webhook' },
  'webhook_endpoints.previous_secret_sealed': NOT_MISSED,
  'webhook_endpoints.headers_sealed': { what: 'headers of the webhook' },
  'ai_contexts.headers_sealed': { what: 'headers of the AI context' },
  'custom_actions.headers_sealed': { what: 'headers of the custom action' },
  'bot_flows.completion_headers_sealed': { what: 'headers at the end of the bot flow' },
  'bot_flow_versions.headers_sealed': {
    what: 'headers in the bot flow',
    name: '(select f.name from bot_flows f where f.organization_id = t.organization_id and f.id = t.flow_id)',
  },
  'chatbot_settings.ai_api_key_sealed': {
    what: 'key of the AI provider',
    name: `coalesce((select a.name from accounts a where a.organization_id = t.organization_id and a.id = t.account_id), 'all numbers')`,
  },
  'organization_archives.key_sealed': NOT_MISSED,
  'organization_imports.key_sealed': NOT_MISSED,
  'push_keys.private_key_sealed': NOT_MISSED,
  'push_subscriptions.target_sealed': NOT_MISSED,
  'idempotency_keys.answer_sealed': NOT_MISSED,
  'users.totp_sealed': NOT_MISSED,
  'users.totp_pending_sealed': NOT_MISSED,
}

const EXCEPTIONS: Exceptions = {
  renewed: new Set(['webhook_endpoints.secret_sealed']),
  withRows: new Set([
    'idempotency_keys.answer_sealed',
    'push_keys.private_key_sealed',
    'push_subscriptions.target_sealed',
  ]),
}

/** What must be entered again in one organization. */
export interface ToEnter {
  organization: string
  organization_id: string
  what: string
  names: string[]
}

/** What was given up with a lost key. */
export interface DiscardedFacts {
  enter_again: ToEnter[]
  /** Email addresses of those whose second factor is off. */
  second_factors_off: string[]
  sessions_ended: number
  /** Browsers that get no push notifications until their people turn them on again. */
  browsers: number
  /** Erased people who are not recognized any more if they are imported again. */
  suppressions: number
}

/**
 * Gives up everything that a lost key encrypted or proved, in one transaction, and keeps everything
 * else. Returns what must be entered again.
 */
export function discardSecrets(deps: Deps): DiscardedFacts {
  const { sqlite } = deps.db
  const lost = { enter_again: toEnter(sqlite), ...countsIn(sqlite) }
  return transact(deps.db, (tx) => {
    const { secondFactors, sessions } = forgetSignInsIn(tx, deps)
    forgetLostSecretsIn(tx, deps)
    renewLostSecretsIn(tx, deps)
    forgetLostCodesIn(tx)
    emptySealedIn(tx, EXCEPTIONS)
    return { ...lost, second_factors_off: secondFactors, sessions_ended: sessions }
  })
}

function countsIn(sqlite: Database): Pick<DiscardedFacts, 'browsers' | 'suppressions'> {
  const count = (table: string): number =>
    sqlite.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? 0
  return { browsers: count('push_subscriptions'), suppressions: count('suppressions') }
}

/** Lists what is encrypted, by organization. */
function toEnter(sqlite: Database): ToEnter[] {
  return sealedColumns(sqlite)
    .flatMap(({ table, column }) => {
      const lost = COLUMNS[`${table}.${column}`]
      if (lost === undefined) throw new Error(`${table}.${column} is not known as encrypted`)
      return lost === null ? [] : namesIn(sqlite, { table, column, ...lost })
    })
    .toSorted((a, b) => a.organization.localeCompare(b.organization))
}

function namesIn(
  sqlite: Database,
  { table, column, what, name = 't.name' }: Lost & { table: string; column: string },
): ToEnter[] {
  const rows = sqlite
    .query<{ organization: string; id: Uint8Array; name: string }, []>(
      `select distinct o.name as organization, o.id as id, ${name} as name from "${table}" t
       join organizations o on o.id = t.organization_id where t."${column}" is not null order by 1, 3`,
    )
    .all()
  return [...Map.groupBy(rows, ({ id }) => Buffer.from(id).toString('hex'))].map(([id, own]) => ({
    organization: own[0]?.organization ?? '',
    organization_id: id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    what,
    names: own.map((row) => row.name),
  }))
}

/** Names in a line of the report. */
const MAX_NAMES = 20

/** Says what was given up, in sentences and lists for the operator. */
export function discardedSentences(facts: DiscardedFacts): string[] {
  const organizations = Map.groupBy(facts.enter_again, ({ organization_id: id }) => id)
  const lists = [...organizations.values()].flatMap((own) => [
    `  ${own[0]?.organization}`,
    ...own.map(({ what, names }) => `    ${what}: ${listed(names)}`),
  ])
  return [
    'The secrets of this backup were given up.',
    ...(lists.length > 0 ? ['Enter again:', ...lists] : ['Nothing has to be entered again.']),
    ...(facts.second_factors_off.length > 0
      ? [
          `Two-factor authentication is off until they set it up again: ${listed(facts.second_factors_off)}.`,
        ]
      : []),
    `All people have to sign in again, with the passwords they have.`,
    ...(facts.browsers > 0
      ? [
          `${facts.browsers} browsers get no push notifications until they are turned on again there.`,
        ]
      : []),
    ...(facts.suppressions > 0
      ? [
          `${facts.suppressions} erased numbers and names are not recognized any more: an import can ` +
            'bring these people back.',
        ]
      : []),
  ]
}

const listed = (names: string[]): string =>
  names.slice(0, MAX_NAMES).join(', ') +
  (names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '')
