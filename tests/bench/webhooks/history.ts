import { Database } from 'bun:sqlite'

import { ADMINS, signIn } from '../../chaos/installation'
import { quantile } from '../probe'
import { addEndpoints, withHooks, type HooksBench } from './setup'

const REPEATS = 15

/** Copies the deliveries of one text again and again, one in a thousand of which failed. */
const MULTIPLY = `
  with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
  insert into webhook_deliveries (organization_id, id, endpoint_id, payload_id, event, seq, contact_id, state, attempts,
    created_at_ms, last_status_code, delivered_at_ms)
  select organization_id, unhex(printf('%012x7%03x8000000000000000', created_at_ms - 600000000 + i * 500, i % 4096)), endpoint_id,
    payload_id, event, seq + i, case when i % 7 = 0 then contact_id end,
    case when i % 1000 = 0 then 'exhausted' else 'delivered' end, 1, created_at_ms - 600000000 + i * 500,
    case when i % 1000 = 0 then 500 else 200 end, case when i % 1000 <> 0 then created_at_ms - 599999000 + i * 500 end
  from (select * from webhook_deliveries limit 1), n`

/** Pages of the history of an endpoint with many deliveries. */
export const benchHistory = (rows: number): Promise<string> =>
  withHooks({ isSecure: false }, async (at) => {
    const [id = ''] = await addEndpoints(at.client, { to: at.to, count: 1, events: ['*'] })
    await at.texts('sample', { perSecond: 1, seconds: 1 })
    await at.until(1)
    await at.server.stop()
    {
      using database = new Database(at.installation.databasePath)
      database.run(MULTIPLY, [rows])
      database.run('analyze')
    }
    await using server = await at.installation.start()
    const client = await signIn(server.url, ADMINS[0])
    const list = `/api/webhooks/${id}/deliveries?limit=50`
    const [contact] = at.installation.rows<{ id: string }>('select id from contacts limit 1')
    const middle = new Date(Date.now() - 300_000_000).toISOString()
    const cursor = await deepCursor(client, list)
    const pages: Record<string, string> = {
      'the newest': list,
      'deep, by cursor': `${list}&cursor=${cursor}`,
      'state=exhausted': `${list}&state=exhausted`,
      'state=pending, none': `${list}&state=pending`,
      'state=delivered': `${list}&state=delivered`,
      'an event that never happened': `${list}&event=order.created`,
      'status_code=500': `${list}&status_code=500`,
      'of a contact': `${list}&contact_id=${contact?.id}`,
      'until five days ago': `${list}&to=${middle}`,
      'the endpoint with its figures': `/api/webhooks/${id}`,
    }
    const lines: string[] = []
    for (const [name, path] of Object.entries(pages)) {
      const times: number[] = []
      for (let nth = 0; nth < REPEATS; nth += 1) {
        const startedMs = performance.now()
        const { status } = await client.get(path)
        if (status !== 200) throw new Error(`${path} answered ${status}`)
        times.push(performance.now() - startedMs)
      }
      lines.push(
        `| ${name} | ${quantile(times, 0.5).toFixed(1)} | ${quantile(times, 1).toFixed(1)} |`,
      )
    }
    return [
      `A page of 50 of the history of an endpoint with ${rows} deliveries, milliseconds of ${REPEATS} requests each:`,
      '',
      '| page | p50 | worst |',
      '|---|---:|---:|',
      ...lines,
    ].join('\n')
  })

async function deepCursor(client: HooksBench['client'], list: string): Promise<string> {
  const to = new Date(Date.now() - 400_000_000).toISOString()
  const { data } = await client.get(`${list}&to=${to}`)
  return String(data['next_cursor'])
}
