import { expect, test } from 'bun:test'

import { rememberRequest, type RequestFacts } from '../../src/http/request-facts'
import { streamed } from '../../src/http/stream-response'

const PIECES = 500

test('other requests run between the chunks of a generated file, however fast it is read', async () => {
  let turn = 0
  let isOver = false
  const count = (): void => {
    turn += 1
    if (!isOver) setImmediate(count)
  }
  const turns = new Set<number>()
  function* pieces(): Generator<Uint8Array> {
    for (let nth = 0; nth < PIECES; nth += 1) {
      turns.add(turn)
      yield new Uint8Array(1_024)
    }
  }
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      rememberRequest(request, {} as RequestFacts) // of which only what was sent is counted here
      return new Response(streamed(request, pieces()))
    },
  })
  count()
  const response = await fetch(server.url)
  expect((await response.bytes()).length).toBe(PIECES * 1_024)
  isOver = true
  expect(turns.size).toBe(PIECES)
})
