import { startYardstick, postLoad } from '../processes'
import { compared, median, type Figure } from './figure'
import { onStage } from './stage'

const CONNECTIONS = 32
const COUNT = 5_000
const ROUNDS = 5
const MESSAGES = 50

/**
 * Pages of 50 messages read per second with an access token, beside a bare Elysia route that
 * returns the same JSON.
 */
export const measureRest = (): Promise<Figure[]> =>
  onStage({}, async ({ installation, server, admin, line, post, drained }) => {
    // The texts come from two thousand customers in turn; all but the page looked at belong to
    // others.
    await post(server, { connections: 16, count: 2_000 })
    await drained()
    const { data: contacts } = await admin.get('/api/contacts?limit=1')
    const id = (contacts['items'] as { id: string }[])[0]?.id
    for (let nth = 1; nth < MESSAGES; nth += 1)
      await admin.post(`/api/contacts/${id}/messages`, { type: 'text', text: `Text ${nth}` })
    const path = `/api/contacts/${id}/messages?limit=${MESSAGES}`
    const { body } = await admin.get(path)
    await using bare = await startYardstick('figures/rest-bare.ts', installation.folder, body)
    const measure = async (port: string, head: string[]): Promise<number> => {
      const get = [`GET ${path} HTTP/1.1`, 'Host: localhost', ...head].join('\r\n')
      const load = {
        port: Number(port),
        connections: CONNECTIONS,
        count: COUNT,
        secret: '',
        lines: [line],
        run: '',
        get,
      }
      const { tookMs, refused, answerBytes } = await postLoad(load)
      if (refused > 0 || answerBytes < 10_000)
        throw new Error(`${refused} pages were refused, the first had ${answerBytes} bytes`)
      return COUNT / (tookMs / 1_000)
    }
    const rounds: { ours: number; bare: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push({
        bare: await measure(new URL(bare.url).port, []),
        ours: await measure(new URL(server.url).port, [`Authorization: Bearer ${admin.token}`]),
      })
    const yardstick = {
      value: median(rounds.map((round) => round.bare)),
      what: 'bare Elysia, the same JSON',
      least: 0.1,
    }
    return [
      compared(
        'pages of 50 messages read',
        '/s',
        median(rounds.map((round) => round.ours)),
        yardstick,
      ),
    ]
  })
