import { join } from 'node:path'

/** A process of a benchmark that takes one JSON order a line and answers each with a line. */
export class Partner {
  private readonly lines: AsyncIterator<string>

  private constructor(private readonly child: Bun.Subprocess<'pipe', 'pipe', 'inherit'>) {
    this.lines = linesOf(child.stdout)
  }

  /** Starts a file of this folder and sends its first order. Returns it with the answer. */
  static async start<T>(file: string, order: unknown): Promise<{ partner: Partner; answer: T }> {
    const child = Bun.spawn([process.execPath, join(import.meta.dir, file)], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const partner = new Partner(child)
    return { partner, answer: await partner.ask<T>(order) }
  }

  /** Sends an order and returns the answer. Rejects when the process has ended. */
  async ask<T>(order: unknown): Promise<T> {
    await this.child.stdin.write(`${JSON.stringify(order)}\n`)
    await this.child.stdin.flush()
    const { value, done } = await this.lines.next()
    if (done) throw new Error('a process of the benchmark has ended')
    return JSON.parse(value) as T
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill()
    await this.child.exited
  }
}

/** Answers each order that arrives on standard input, until the input ends. */
export async function obey<T>(perform: (order: T) => unknown): Promise<void> {
  for await (const line of linesOf(Bun.stdin.stream()))
    console.log(JSON.stringify((await perform(JSON.parse(line) as T)) ?? null))
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}
