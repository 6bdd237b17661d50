import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a copy of the project consists of. */
const COPIED = [
  'src',
  'tests',
  'drizzle',
  'package.json',
  'bunfig.toml',
  'tsconfig.json',
  'README.md',
]
/** The helpers that the instrumenter writes at the head of each file. */
const HELPERS =
  /function stryNS_9fa48\(\) \{[\s\S]*?\nfunction stryMutAct_9fa48\(id\) \{[\s\S]*?\n\}/

/**
 * A copy of the project with instrumented files in it: all mutations of the sample are there, and
 * one of them at a time is switched on.
 */
export class Copy {
  constructor(
    root: string,
    readonly folder: string,
  ) {
    mkdirSync(folder)
    for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  }

  /** Writes instrumented files, with our switch in place of the instrumenter's helpers. */
  instrument(files: readonly { name: string; content: string }[]): void {
    const from = JSON.stringify(join(this.folder, 'tests/mutants/switch.ts'))
    const ours = `import { cover as stryCov_9fa48, isActive as stryMutAct_9fa48 } from ${from};`
    for (const { name, content } of files)
      writeFileSync(join(this.folder, name), content.replace(HELPERS, ours))
  }

  /** Switches a mutation on; `null` switches all off. */
  activate(id: string | null): void {
    writeFileSync(this.state('active'), id ?? '')
  }

  /** Where the switch keeps a part of its state. */
  state(name: 'active' | 'hits' | 'test'): string {
    return join(this.folder, `tests/mutants/state.${name}`)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}
