import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import {
  measureInPeace,
  namedIn,
  plansReport,
  requireQuick,
  tableOf,
  type Asked,
  type Row,
} from './list-report'
import { COUNTS, fill, NEWEST_MS } from './lists-rows'
import { machineOf, save } from './report'

const number = (rows: number): string => rows.toLocaleString('en-US')
const OF_LISTS = /from "(audit_logs|memberships|roles|invitations|api_keys|sessions|notifications)"/

const SIZE =
  `${number(COUNTS.members)} members, ${number(COUNTS.roles)} roles, ${number(COUNTS.entries)} audit entries, ${number(COUNTS.invitations)} invitations and ` +
  `${number(COUNTS.keys)} API keys in one organization, ${number(COUNTS.sessions)} sign-ins and ${number(COUNTS.notifications)} notifications of one person; one request at a time.`
/**
 * Measures the lists of an organization and of a person over HTTP, in an organization with 5,000
 * members, and shows how SQLite finds the rows. `isSaved` writes both to `results`. `words` names the lists to measure, all by default. Throws when a list is too slow.
 */
export async function benchLists(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const installation = new Installation({})
  try {
    await (await installation.start()).stop()
    fill(installation.databasePath)
    await using server = await installation.start()
    const client = await signIn(server.url, ADMINS[0])
    server.ignoreOutput()
    const rows: Row[] = []
    for (const asked of namedIn(options.words, await listsOf(client)))
      rows.push(await measureInPeace(client, asked))
    await server.stop()
    const report = [
      machineOf(installation.folder),
      '',
      SIZE,
      '',
      tableOf(rows),
      '',
      await plansReport(installation, OF_LISTS, rows),
    ].join('\n')
    console.log(`\n${report}\n`)
    if (options.isSaved) save('lists', report)
    requireQuick(rows)
  } finally {
    installation.remove()
  }
}

async function listsOf(client: Client): Promise<Asked[]> {
  const at = (seconds: number): string =>
    new Date(NEWEST_MS - (COUNTS.entries - seconds) * 1_000).toISOString()
  const audit = '/api/audit-logs?limit=50'
  const person = `${audit}&user_id=01900000-0000-7000-8002-000000000001`
  const { data } = await client.get(`${audit}&page=1900`)
  const deep = String(((data as Loose)['next_cursor'] as string | null) ?? '')
  const [role] = (await client.get('/api/roles?search=Role%20500')).data['items'] as Loose[]
  const people = (list: string, path: string): Asked[] => [
    { list, what: 'first page', path: `${path}?limit=50` },
    { list, what: 'page 100', path: `${path}?limit=50&page=100` },
    { list, what: 'search, one found', path: `${path}?limit=50&search=person777@` },
    { list, what: 'search, 500 found', path: `${path}?limit=50&search=cleo` },
    { list, what: 'of one role', path: `${path}?limit=50&role_id=${String(role?.['id'])}` },
    { list, what: 'suspended', path: `${path}?limit=50&is_active=false` },
  ]
  return [
    ...people('members', '/api/organizations/members'),
    ...people('users', '/api/users'),
    { list: 'roles', what: 'first page', path: '/api/roles?limit=50' },
    { list: 'roles', what: 'page 8', path: '/api/roles?limit=50&page=8' },
    { list: 'roles', what: 'search', path: '/api/roles?limit=50&search=77' },
    { list: 'audit log', what: 'first page', path: audit },
    { list: 'audit log', what: 'page 1,900', path: `${audit}&page=1900` },
    { list: 'audit log', what: 'deep, by cursor', path: `${audit}&cursor=${deep}` },
    {
      list: 'audit log',
      what: 'of one person',
      path: `${audit}&user_id=01900000-0000-7000-8002-000000000007`,
    },
    {
      list: 'audit log',
      what: 'of one thing',
      path: `${audit}&resource_type=role&resource_id=01900000-0000-7000-8005-000000000009`,
    },
    {
      list: 'audit log',
      what: 'of one thing, by id alone',
      path: `${audit}&resource_id=01900000-0000-7000-8005-000000000009`,
    },
    { list: 'audit log', what: 'one kind', path: `${audit}&resource_type=contact` },
    {
      list: 'audit log',
      what: 'one kind, page 600',
      path: `${audit}&resource_type=contact&page=600`,
    },
    { list: 'audit log', what: 'a kind that nothing is', path: `${audit}&resource_type=nothing` },
    {
      list: 'audit log',
      what: 'one kind since a time',
      path: `${audit}&resource_type=contact&from=${at(10_000)}`,
    },
    {
      list: 'audit log',
      what: 'one kind, search, nothing found',
      path: `${audit}&resource_type=contact&search=nothing+of+that+kind`,
    },
    {
      list: 'audit log',
      what: 'one action, search, nothing found',
      path: `${audit}&action=updated&search=nothing+of+that+kind`,
    },
    {
      list: 'audit log',
      what: 'one action, search, many found',
      path: `${audit}&action=updated&search=thing+1`,
    },
    {
      list: 'audit log',
      what: 'of one person, search, nothing found',
      path: `${person}&search=nothing+of+that+kind`,
    },
    { list: 'audit log', what: 'of one person, one action', path: `${person}&action=deleted` },
    {
      list: 'audit log',
      what: 'of one person, one kind, search since a time',
      path: `${person}&resource_type=user&search=thing&from=${at(10_000)}`,
    },
    {
      list: 'audit log',
      what: 'one action, one kind',
      path: `${audit}&action=updated&resource_type=contact`,
    },
    {
      list: 'audit log',
      what: 'one action, one kind, nothing of both',
      path: `${audit}&action=deleted&resource_type=nothing`,
    },
    {
      list: 'audit log',
      what: 'one action, page 300, search',
      path: `${audit}&action=updated&search=thing&page=300`,
    },
    { list: 'audit log', what: 'one action', path: `${audit}&action=deleted` },
    {
      list: 'audit log',
      what: 'a span of time',
      path: `${audit}&from=${at(50_000)}&to=${at(51_000)}`,
    },
    { list: 'audit log', what: 'search, few found', path: `${audit}&search=Thing%2019999` },
    {
      list: 'audit log',
      what: 'search, by cursor',
      path: `${audit}&search=Thing%2019999&cursor=${deep}`,
    },
    {
      list: 'audit log',
      what: 'search, nothing found',
      path: `${audit}&search=nothing+of+that+kind`,
    },
    ...OF_ORGANIZATION_AND_PERSON,
  ]
}

const OF_ORGANIZATION_AND_PERSON: Asked[] = [
  { list: 'invitations', what: 'first page', path: '/api/organizations/invitations?limit=50' },
  {
    list: 'invitations',
    what: 'page 95',
    path: '/api/organizations/invitations?limit=50&page=95',
  },
  {
    list: 'invitations',
    what: 'pending',
    path: '/api/organizations/invitations?limit=50&status=pending',
  },
  {
    list: 'invitations',
    what: 'expired',
    path: '/api/organizations/invitations?limit=50&status=expired',
  },
  {
    list: 'invitations',
    what: 'search, one found',
    path: '/api/organizations/invitations?limit=50&search=guest777@',
  },
  {
    list: 'invitations',
    what: 'search, nothing found',
    path: '/api/organizations/invitations?limit=50&search=nothing',
  },
  { list: 'API keys', what: 'first page', path: '/api/api-keys?limit=50' },
  { list: 'API keys', what: 'page 19', path: '/api/api-keys?limit=50&page=19' },
  { list: 'API keys', what: 'switched off', path: '/api/api-keys?limit=50&is_active=false' },
  {
    list: 'API keys',
    what: 'search, one found',
    path: '/api/api-keys?limit=50&search=Program%20777',
  },
  { list: 'own sign-ins', what: 'first page', path: '/api/me/sessions?limit=50' },
  { list: 'own sign-ins', what: 'page 19', path: '/api/me/sessions?limit=50&page=19' },
  { list: 'notifications', what: 'first page', path: '/api/me/notifications?limit=50' },
  { list: 'notifications', what: 'page 190', path: '/api/me/notifications?limit=50&page=190' },
  { list: 'notifications', what: 'unread', path: '/api/me/notifications?limit=50&unread=true' },
  { list: 'notifications', what: 'read', path: '/api/me/notifications?limit=50&unread=false' },
]
