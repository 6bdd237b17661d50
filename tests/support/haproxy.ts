import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`

/** A running HAProxy with a configuration and map of its own. */
export class Haproxy implements AsyncDisposable {
  private constructor(
    private readonly folder: string,
    private readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>,
  ) {}

  /**
   * Starts HAProxy and waits until it listens on a port. `config` gets the path of the map file.
   * Throws with its messages if it refuses the configuration.
   */
  static async start(
    port: number,
    config: (mapPath: string) => string,
    map = '',
  ): Promise<Haproxy> {
    const folder = mkdtempSync(join(tmpdir(), 'haproxy-'))
    const [path, mapPath] = [join(folder, 'haproxy.cfg'), join(folder, 'cells.map')]
    writeFileSync(mapPath, map)
    writeFileSync(path, config(mapPath))
    const check = Bun.spawnSync(['haproxy', '-c', '-f', path], { env: { PATH } })
    if (check.exitCode !== 0) throw new Error(check.stderr.toString())
    const child = Bun.spawn(['haproxy', '-db', '-f', path], {
      env: { PATH },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    for (let round = 0; round < 400 && !(await isListening(port)); round += 1) await Bun.sleep(25)
    return new Haproxy(folder, child)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill('SIGKILL')
    await this.child.exited
    rmSync(this.folder, { recursive: true, force: true })
  }
}

async function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect({ host: '127.0.0.1', port })
  socket.once('connect', () => resolve(true))
  socket.once('error', () => resolve(false))
  const isThere = await promise
  socket.destroy()
  return isThere
}
