import type { World } from '../support/world'
import { Inbox } from '../support/inbox'
import { keyOf } from '../support/keys'
import { deliver, personOf, textTo } from '../support/lines'
import { Line } from '../support/tcp-line'

interface Wish {
  begin?: string
  status?: string | null
  texts?: string[]
  cut?: boolean
  id?: string
}

/** A server with three customers, on a line that breaks when a program in another process asks for it. */
export class ControlledWorld {
  private constructor(
    readonly inbox: Inbox,
    private readonly line: Line,
    private readonly control: Bun.Server<undefined>,
    /** Environment of the program. */
    readonly env: { SWITCHBOARD_URL: string; SWITCHBOARD_KEY: string; CONTROL_URL: string },
  ) {}

  static async create(): Promise<ControlledWorld> {
    const inbox = await Inbox.create(3)
    const line = new Line(inbox.world.url)
    const { key } = await keyOf(inbox.world)
    const control = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: async (request) => {
        const wish = (await request.json()) as Wish
        const answer = await obey(new URL(request.url).pathname.slice(1), wish, inbox.world, line)
        return Response.json(answer ?? null)
      },
    })
    return new ControlledWorld(inbox, line, control, {
      SWITCHBOARD_URL: await line.open(),
      SWITCHBOARD_KEY: key,
      CONTROL_URL: `http://127.0.0.1:${control.port}`,
    })
  }

  async stop(): Promise<void> {
    await this.control.stop(true)
    this.line.close()
    await this.inbox.world.stop()
  }
}

/** Does what a program asks for, and returns what it wants to know. */
async function obey(what: string, wish: Wish, world: World, line: Line): Promise<unknown> {
  switch (what) {
    case 'lose':
      line.heads.length = 0
      line.losesNext = new RegExp(`^${wish.begin ?? ''}`)
      return
    case 'answer':
      line.answersNext =
        wish.status == null
          ? ''
          : `HTTP/1.1 ${wish.status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`
      return
    case 'keys':
      return line.heads.map((head) => /^idempotency-key: (.+)$/im.exec(head)?.[1] ?? null)
    case 'hear':
      if (wish.cut === true) line.cut()
      for (const text of wish.texts ?? [])
        await deliver(world, textTo(world, text, { person: personOf(1) }))
      return
    case 'key': {
      const { id, key } = await keyOf(world)
      return { id, key }
    }
    case 'revoke':
      await (await world.as('admin')).delete(`/api/api-keys/${wish.id}`)
      for (const _ of 'twice') world.program.realtime.sockets.sweep()
      return
    default:
      throw new Error(`nobody knows how to ${what}`)
  }
}
