import type { Figure } from './figure'
import type { WatchedPage } from './page'

/** Steps of the flow, as many as a flow can have. */
const STEPS = 200
/** Turns of the wheel that move the canvas, to the right and back. */
const TURNS = 120
const TURN_PX = 60
const TURN_MS = 16

/** Counts frames that came later than a screen of 60 a second waits for, and all. */
const WATCH = `(() => {
  const count = (window.panned = { all: 0, late: 0 })
  let last = 0
  const look = (now) => {
    if (last !== 0) {
      count.all += 1
      if (now - last > 25) count.late += 1
    }
    last = now
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})()`

/** Makes a flow of 200 steps, with texts and buttons, over the API. Returns its ID. */
export async function makeLargeFlow(
  url: string,
  who: { email: string; password: string },
): Promise<string> {
  const ask = async (path: string, body: unknown, token = ''): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = (await (await fetch(`${url}${path}`, request)).json()) as {
      data?: Record<string, unknown>
    }
    if (!answer.data) throw new Error(`${path}: ${JSON.stringify(answer)}`)
    return answer.data
  }
  const { access_token: token } = await ask('/api/auth/login', who)
  const nodes = Array.from({ length: STEPS }, (_, nth) => ({
    ...{ id: `n${nth}`, type: 'buttons', label: `Step ${nth}` },
    config: {
      body: `Question ${nth}: which of these would you like to have?`,
      buttons: ['One', 'Two', 'Three'].map((title, at) => ({ id: `b${at}`, title })),
    },
  }))
  // a tree of three ways at each step
  const edges = nodes.slice(1).map(({ id }, at) => ({
    ...{ from: `n${Math.floor(at / 3)}`, to: id },
    condition: `button:b${at % 3}`,
  }))
  const graph = { version: 2, entry_node: 'n0', nodes, edges }
  const { id } = await ask('/api/chatbot/flows', { name: 'Large', graph }, String(token))
  return String(id)
}

/** The canvas of a flow of 200 steps, moved by the wheel with all of it in view, and from near. */
export async function measureCanvas(watched: WatchedPage, flowId: string): Promise<Figure[]> {
  const { page } = watched
  await page.goto(`/bot/flows/${flowId}`)
  await page.locator('.flow-card').nth(5).waitFor()
  await page.waitForTimeout(1_500)
  await page.evaluate(WATCH)
  const figures: Figure[] = []
  for (const view of ['all of it in view', 'from near']) {
    if (view === 'from near') {
      await page.getByRole('button', { name: 'Larger' }).click({ clickCount: 6 })
      await page.waitForTimeout(500)
    }
    await page.locator('.flow-canvas').hover()
    await watched.reset()
    await page.evaluate('Object.assign(panned, { all: 0, late: 0 })')
    for (let nth = 0; nth < TURNS; nth += 1) {
      await page.mouse.wheel(nth < TURNS / 2 ? TURN_PX : -TURN_PX, 0)
      await page.waitForTimeout(TURN_MS)
    }
    const { count, longestMs } = await watched.longTasks()
    const [all, late] = [
      Number(await page.evaluate('panned.all')),
      Number(await page.evaluate('panned.late')),
    ]
    const what = `canvas of ${STEPS} steps, ${view}`
    figures.push(
      {
        what: `${what}: cards drawn`,
        value: await page.locator('.flow-card').count(),
        unit: '',
        limit: null,
      },
      { what: `${what}: frames later than 25 ms, of ${all}`, value: late, unit: '', limit: null },
      { what: `${what}: tasks over 50 ms`, value: count, unit: '', limit: 0 },
      { what: `${what}: longest task`, value: longestMs, unit: 'ms', limit: 50 },
    )
  }
  return figures
}
