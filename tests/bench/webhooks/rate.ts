import { probe, stretchTable, type Stretch } from '../probe'
import { cpuUsOf } from '../processes'
import { addEndpoints, withHooks, type HooksBench } from './setup'

const ENDPOINTS = 8
const SECONDS = 10

/** Rates that are tried for a minute, deliveries a second, and how late the last may come. */
const RATES = [480, 640, 720, 800, 880, 960, 1_040, 1_120]
const MINUTE_S = 60
const LATE_MS = 2_000

interface Run {
  stretch: Stretch
  cpuUs: number
  tookMs: number
  holds: Awaited<ReturnType<HooksBench['watch']['takeBoth']>>
}

async function measure(at: HooksBench, when: string, work: () => Promise<unknown>): Promise<Run> {
  await at.watch.take()
  const [startedMs, startedUs] = [performance.now(), cpuUsOf(at.server.pid)]
  const stretch = await probe(at.client, when, work())
  return {
    stretch,
    tookMs: performance.now() - startedMs,
    cpuUs: cpuUsOf(at.server.pid) - startedUs,
    holds: await at.watch.takeBoth(),
  }
}

/**
 * Deliveries a second over TLS to eight endpoints that answer in 20 ms, the processor time of each
 * (that of the same texts without endpoints is taken off), and the bytes that each leaves.
 */
export const benchRate = (perSecond: number): Promise<string> =>
  withHooks({ isSecure: true }, async (at) => {
    await at.texts('warm', { perSecond, seconds: 5 })
    await at.drained()
    const of = { perSecond: perSecond / ENDPOINTS, seconds: SECONDS }
    const without = await measure(at, 'without endpoints', async () => {
      await at.texts('without', of)
      await at.drained()
    })
    await addEndpoints(at.client, { to: at.to, count: ENDPOINTS, events: ['message.received'] })
    await at.texts('warm-with', { ...of, seconds: 5 })
    await at.drained()
    await at.forget()
    const wanted = of.perSecond * SECONDS * ENDPOINTS
    const beside = await measure(at, 'with eight endpoints', async () => {
      await at.texts('with', of)
      await at.until(wanted)
      await at.drained()
    })
    const { count, p99Ms } = await at.arrived()
    const eachUs = (beside.cpuUs - without.cpuUs) / count
    return [
      `${count} deliveries over TLS to ${ENDPOINTS} endpoints that answer in 20 ms, ${perSecond} a second asked for: ${Math.round((count / beside.tookMs) * 1_000)} a second, ${Math.round(eachUs)} µs of processor time each, received after at most ${Math.round(p99Ms)} ms in 99 of 100 cases. ${holdsOf('Without endpoints', without)} ${holdsOf('With them', beside)}`,
      '',
      stretchTable([without.stretch, beside.stretch]),
      '',
      bytesOf(at),
    ].join('\n')
  })

const holdsOf = (when: string, { cpuUs, tookMs, holds }: Run): string => {
  const { heldMs, stoodMs, stoodCpuMs } = holds
  const share = Math.round(cpuUs / tookMs / 10)
  return `${when}: ${share} % of a processor; at most, the thread was held for ${Math.round(heldMs)} ms, and stood still for ${Math.round(stoodMs)} ms, ${Math.round(stoodCpuMs)} of them computing.`
}

/** What a delivery that succeeded at once leaves in tables and indexes. */
function bytesOf({ installation }: HooksBench): string {
  const rows = installation.rows<{ name: string; bytes: number }>(
    `select name, sum(pgsize) as bytes from dbstat
     where name in (select name from sqlite_schema where tbl_name in ('webhook_deliveries', 'webhook_attempts'))
     group by name order by bytes desc`,
  )
  const [deliveries] = installation.rows<{ n: number }>(
    'select count(*) as n from webhook_deliveries',
  )
  const count = deliveries?.n ?? 1
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0)
  const parts = rows.map(({ name, bytes }) => `${name} ${Math.round(bytes / count)}`)
  return `A delivery takes ${Math.round(total / count)} bytes, payload aside: ${parts.join(', ')}.`
}

/**
 * The highest rate of deliveries that holds for a minute: the last arrive soon after the end. Begins
 * with `from`.
 */
export const benchHighest = (from: number): Promise<string> =>
  withHooks({ isSecure: true }, async (at) => {
    await addEndpoints(at.client, { to: at.to, count: ENDPOINTS, events: ['message.received'] })
    let best = 'None of the rates holds for a minute.'
    for (const rate of RATES.filter((one) => one >= from)) {
      await at.drained()
      await at.forget()
      const of = { perSecond: rate / ENDPOINTS, seconds: MINUTE_S }
      await at.texts(`rate-${rate}`, of)
      const startedMs = performance.now()
      const { p99Ms } = await at.until(rate * MINUTE_S)
      if (performance.now() - startedMs > LATE_MS || p99Ms > LATE_MS) break
      best = `The highest rate that holds for a minute: ${rate} deliveries a second, received after at most ${Math.round(p99Ms)} ms in 99 of 100 cases.`
      console.log(best)
    }
    return best
  })
