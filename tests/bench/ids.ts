import { ADMINS, Installation, signIn } from '../chaos/installation'
import type { Client, Loose } from '../support/client'
import { compare, tellingApart, type Comparison } from './pairs'
import { machineOf, save } from './report'

/** Requests of each kind for each route. */
const ROUNDS = 400
/** Things of each kind in the other organization; as many ids that nothing has. */
const THINGS = 20

/** Ids of the other organization, by kind of thing. */
type Foreign = Record<
  'role' | 'key' | 'user' | 'member' | 'invitation' | 'entry' | 'session',
  string[]
>

/** A route that is asked for what is not there: a kind of thing, and a body that would be good. */
type Route = [method: string, path: string, kind: keyof Foreign, body?: Loose]

const ROUTES: Route[] = [
  ['GET', '/api/roles/:id', 'role'],
  ['PUT', '/api/roles/:id', 'role', { name: 'Taken over' }],
  ['DELETE', '/api/roles/:id', 'role'],
  ['GET', '/api/api-keys/:id', 'key'],
  ['PUT', '/api/api-keys/:id', 'key', { name: 'Taken over' }],
  ['DELETE', '/api/api-keys/:id', 'key'],
  ['GET', '/api/users/:id', 'user'],
  ['PUT', '/api/users/:id', 'user', { full_name: 'Taken Over' }],
  ['DELETE', '/api/users/:id', 'user'],
  ['DELETE', '/api/organizations/members/:id', 'member'],
  ['DELETE', '/api/organizations/invitations/:id', 'invitation'],
  ['GET', '/api/audit-logs/:id', 'entry'],
  ['DELETE', '/api/me/sessions/:id', 'session'],
]

/**
 * Measures whether an id of another organization takes as long as one that nothing has, route by
 * route, in turn, in one run. Prints a table; `isSaved` writes it to `results`.
 * Throws when the two can be told apart.
 */
export async function benchIds(options: { isSaved: boolean }): Promise<void> {
  const installation = new Installation({})
  try {
    await (await installation.start()).stop()
    await installation.addSecondOrganization()
    await using server = await installation.start()
    const foreign = await thingsOf(await signIn(server.url, ADMINS[0]))
    const stranger = await signIn(server.url, ADMINS[1])
    server.ignoreOutput()
    const rows: Comparison[] = []
    for (const route of ROUTES) rows.push(await compareIds(stranger, route, foreign))
    await server.stop()
    const report = [
      machineOf(installation.folder),
      '',
      `${ROUNDS} requests of each kind for each route, in turn.`,
      '',
      tableOf(rows),
    ].join('\n')
    console.log(`\n${report}\n`)
    if (options.isSaved) save('ids', report)
    const different = tellingApart(rows)
    if (different.length > 0) throw new Error(different.join('; '))
  } finally {
    installation.remove()
  }
}

/** Makes some of each kind and answers their ids. */
async function thingsOf(owner: Client): Promise<Foreign> {
  const made = async (path: string, bodyOf: (nth: number) => Loose): Promise<string[]> => {
    const ids: string[] = []
    for (let nth = 0; nth < THINGS; nth += 1)
      ids.push(String((await owner.post(path, bodyOf(nth))).data['id']))
    return ids
  }
  const listed = async (path: string, name: string): Promise<string[]> =>
    ((await owner.get(`${path}?limit=${THINGS}`)).data[name] as Loose[]).map(({ id }) => String(id))
  const password = 'correct horse battery'
  return {
    role: await made('/api/roles', (nth) => ({
      name: `Role ${nth}`,
      permissions: ['contacts:read'],
    })),
    key: await made('/api/api-keys', (nth) => ({ name: `Key ${nth}`, permissions: ['tags:read'] })),
    user: await made('/api/users', (nth) => ({
      email: `person-${nth}@example.com`,
      password,
      full_name: `Person ${nth}`,
    })),
    invitation: await made('/api/organizations/invitations', (nth) => ({
      email: `guest-${nth}@example.com`,
    })),
    member: await listed('/api/organizations/members', 'members'),
    entry: await listed('/api/audit-logs', 'items'),
    session: await listed('/api/me/sessions', 'items'),
  }
}

function compareIds(
  stranger: Client,
  [method, path, kind, body]: Route,
  foreign: Foreign,
): Promise<Comparison> {
  const unknown = Array.from({ length: foreign[kind].length }, () => Bun.randomUUIDv7())
  const ask =
    (ids: string[]) =>
    async (round: number): Promise<void> => {
      const { status } = await stranger.request(
        method,
        path.replace(':id', ids[round % ids.length] ?? ''),
        body,
      )
      if (status !== 404) throw new Error(`${method} ${path} answered ${status}`)
    }
  return compare(
    {
      what: `${method} ${path}`,
      names: ['unknown', 'of another organization'],
      ask: [ask(unknown), ask(foreign[kind])],
    },
    ROUNDS,
  )
}

const tableOf = (rows: Comparison[]): string =>
  [
    '| route | unknown p50 ms | p95 ms | of another organization p50 ms | p95 ms | ratio of p50 |',
    '|---|---:|---:|---:|---:|---:|',
    ...rows.map(({ what, times, ratio }) => {
      const figures = times.flatMap(({ p50Ms, p95Ms }) => [p50Ms.toFixed(2), p95Ms.toFixed(2)])
      return `| \`${what}\` | ${figures.join(' | ')} | ${ratio.toFixed(2)} |`
    }),
  ].join('\n')
