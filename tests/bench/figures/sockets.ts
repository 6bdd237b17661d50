import { signIn } from '../../chaos/installation'
import type { Client } from '../../support/client'
import { rssMibOf, startYardstick } from '../processes'
import { builtBinary } from './binary'
import { bounded, compared, median, type Figure } from './figure'
import { Listeners } from './listeners'
import { onStage } from './stage'

const SOCKETS = 2_000
const FRAMES = 200
const ROUNDS = 3
/** What was done to sign in and to connect a number is over and its memory given back. */
const IDLE_AFTER_MS = 5_000

/**
 * Frames delivered per second to 2,000 sockets of one organization while texts arrive, beside bare
 * publishing of frames of the same size; how long a frame takes from its text's request to the
 * sockets at half that rate; and memory with the sockets open.
 */
export const measureSockets = (): Promise<Figure[]> =>
  onStage(
    { WS_PER_USER: '1000', WS_PER_ORG: '5000' },
    async ({ installation, server, admin, line }) => {
      await Bun.sleep(IDLE_AFTER_MS)
      const idleMib = rssMibOf(server.pid)
      const socketUrls = await urlsOf(admin, server.url)
      await using ours = await Listeners.open(socketUrls)
      await Bun.sleep(1_000)
      const openMib = rssMibOf(server.pid)
      const post = { url: `${server.url}/api/webhook`, line }
      const { bytes, framesPerText } = await ours.listen({ ...post, run: 'warm', texts: 50 })
      await using bare = await startYardstick('figures/sockets-bare.ts', installation.folder, {
        bytes,
      })
      await using theirs = await Listeners.open(
        Array.from({ length: SOCKETS }, () => bare.url.replace('http', 'ws')),
      )
      const rounds: { ours: number; bare: number }[] = []
      for (let round = 0; round < ROUNDS; round += 1) {
        const published = await theirs.listen({
          url: `${bare.url}/publish`,
          line,
          run: `${round}`,
          texts: FRAMES,
        })
        const heard = await ours.listen({ ...post, run: `full-${round}`, texts: FRAMES / 2 })
        rounds.push({ ours: heard.perSecond, bare: published.perSecond })
      }
      const perSecond = median(rounds.map((round) => round.ours))
      const half = await ours.listen({
        ...post,
        run: 'half',
        texts: FRAMES / 2,
        framesPerText,
        framesPerSecond: perSecond / SOCKETS / 2,
      })
      const yardstick = {
        value: median(rounds.map((round) => round.bare)),
        what: 'bare Bun publish',
        least: 0.8,
      }
      return [
        compared('frames delivered to 2,000 sockets', '/s', perSecond, yardstick),
        bounded('… delivery time at half that rate, p99', 'ms', half.p99Ms, 100),
        bounded('idle memory', 'MiB', idleMib, 120),
        bounded('memory with 2,000 sockets', 'MiB', openMib, 200),
      ]
    },
    [builtBinary()],
  )

/** Addresses of so many sockets of two people, who may have a thousand each. */
async function urlsOf(admin: Client, url: string): Promise<string[]> {
  const { data: roles } = await admin.get('/api/roles')
  const role = (roles['items'] as { id: string; name: string }[]).find(
    ({ name }) => name === 'admin',
  )
  const person = {
    email: 'other@example.com',
    full_name: 'Other',
    password: 'correct horse battery',
    role_id: role?.id,
  }
  await admin.post('/api/users', person)
  const other = await signIn(url, person.email)
  const half = (client: Client) =>
    Array.from(
      { length: SOCKETS / 2 },
      () => `${url.replace('http', 'ws')}/ws?token=${client.token}`,
    )
  return [...half(admin), ...half(other)]
}
