/** The workflows, as far as they can be judged without the service that runs them. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { VERSION } from '../../src/version'
import { TARGETS } from '../../src/release/targets'

interface Step {
  uses?: string
  run?: string
  with?: Record<string, unknown>
  env?: Record<string, string>
}

interface Job {
  needs?: string | string[]
  uses?: string
  'timeout-minutes'?: number
  permissions?: Record<string, string>
  env?: Record<string, string>
  strategy?: { matrix: { include: { target: string; runner: string; script: string }[] } }
  steps?: Step[]
}

interface Workflow {
  on: Record<string, unknown>
  permissions: Record<string, string>
  jobs: Record<string, Job>
}

const ROOT = join(import.meta.dir, '../..')
const FOLDER = join(ROOT, '.github/workflows')
const texts = new Map(
  readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
)
const workflow = (name: string): Workflow => Bun.YAML.parse(texts.get(name) ?? '') as Workflow
const [check, release] = [workflow('check.yml'), workflow('release.yml')]
const jobs = Object.entries({ ...release.jobs, 'check itself': check.jobs['check'] ?? {} })
const steps = jobs.flatMap(([job, { steps: own = [] }]) => own.map((step) => ({ job, ...step })))

test('every push and every request is checked, and each tag of a version is released', () => {
  expect([...texts.keys()].toSorted()).toEqual(['check.yml', 'release.yml'])
  expect(check.on).toEqual({ push: { branches: ['**'] }, pull_request: null, workflow_call: null })
  expect(release.on).toEqual({ push: { tags: ['v*'] } })
  expect(check.jobs['check']?.steps?.at(-1)?.run).toBe('sudo bash .ci/run')
})

test('actions are pinned to a commit, the same one everywhere, and say of which version it is', () => {
  const used = [...texts.values()].flatMap((text) => text.match(/uses: .*/g) ?? [])
  const foreign = new Set(used.filter((line) => !line.startsWith('uses: ./')))
  for (const line of foreign)
    expect(line).toMatch(/^uses: actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  const names = [...foreign].map((line) => line.split('@')[0])
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(3)
})

test('nobody may write but the job that has to', () => {
  expect([check.permissions, release.permissions]).toEqual([{}, {}])
  const writers = jobs.map(([job, { permissions = {} }]) => [
    job,
    Object.keys(permissions).filter((name) => permissions[name] !== 'read'),
  ])
  expect(Object.fromEntries(writers)).toEqual({
    check: [],
    'check itself': [],
    build: [],
    try: [],
    image: ['attestations', 'id-token', 'packages'],
    publish: ['attestations', 'contents', 'id-token'],
  })
  for (const { uses = '', with: options } of steps.filter((step) =>
    step.uses?.includes('checkout'),
  ))
    expect({ uses, options }).toMatchObject({ uses, options: { 'persist-credentials': false } })
  // Only these two steps see the token.
  expect(steps.filter(({ env }) => env !== undefined).map(({ run }) => run)).toEqual([
    'sh src/release/sign-in.sh',
    'sh src/release/publish.sh',
  ])
})

test('the checks have the tags, with which frozen releases are compared', () => {
  const [checkout] = check.jobs['check']?.steps ?? []
  expect(checkout?.with).toEqual({ 'persist-credentials': false, 'fetch-depth': 0 })
})

test('each step is a script of the repository, which takes what it needs from its environment', () => {
  const main = readFileSync(join(ROOT, 'src/release/main.ts'), 'utf8')
  const known = new Set([...main.matchAll(/^ {2}(\w+): /gm)].map(([, name]) => name))
  const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]))
  expect(commands.length).toBeGreaterThan(8)
  for (const command of commands) {
    const [, step] = /^npx -y bun@[\d.]+ run release (\w+)/.exec(command) ?? []
    const [, script] = /^(?:sudo ba)?sh "?([\w./$-]+)"?(?: |$)/.exec(command) ?? []
    const scripts = script?.endsWith('$SCRIPT')
      ? ['try.sh', 'try-musl.sh'].map((name) => `src/release/${name}`)
      : [script ?? '-']
    const isThere =
      step === undefined ? scripts.every((path) => existsSync(join(ROOT, path))) : known.has(step)
    expect({ command, isThere }).toEqual({ command, isThere: true })
    // What a tag or a branch is called never becomes part of a command.
    expect(command).not.toContain('${{')
  }
  for (const [job, { uses, 'timeout-minutes': minutes = 0 }] of jobs)
    expect({ job, isBounded: uses !== undefined || minutes > 0 }).toEqual({ job, isBounded: true })
})

test('each executable is tried on its system before anything is published', () => {
  const tried = release.jobs['try']?.strategy?.matrix.include ?? []
  expect(tried.map(({ target }) => target).toSorted()).toEqual(Object.keys(TARGETS).toSorted())
  for (const { target, runner, script } of tried) {
    const [system, processor] = target.split('-')
    const runners =
      system === 'darwin'
        ? { arm64: /^macos-\d+$/, x64: /^macos-\d+-intel$/ }
        : { arm64: /^ubuntu-[\d.]+-arm$/, x64: /^ubuntu-[\d.]+$/ }
    expect(runner).toMatch(runners[processor as 'arm64' | 'x64'])
    expect(script).toBe(target.endsWith('-musl') ? 'try-musl.sh' : 'try.sh')
  }
  const needs = Object.entries(release.jobs).map(([job, own]) => [job, own.needs])
  expect(Object.fromEntries(needs)).toEqual({
    check: undefined,
    build: undefined,
    try: 'build',
    image: ['check', 'try'],
    publish: 'image',
  })
  const image = release.jobs['image']?.steps ?? []
  const runs = image.map(({ run = '' }) => run)
  const at = (part: string): number => runs.findIndex((run) => run.includes(part))
  expect(at('try-image.sh')).toBeLessThan(at('image --push'))
})

describe('a step', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'steps-'))
    mkdirSync(join(folder, 'bin'))
    for (const name of ['gh', 'docker']) {
      const tool = join(folder, 'bin', name)
      writeFileSync(tool, `#!/bin/sh\nfor word; do echo "$word"; done\nexec cat\n`)
      chmodSync(tool, 0o755)
    }
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const run = (command: string[], env: Record<string, string> = {}, cwd = folder) => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
      cwd,
      env: { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, ...env },
    })
    return { exitCode, out: stdout.toString().split('\n'), errors: stderr.toString() }
  }
  const script = (name: string): string => join(ROOT, 'src/release', name)
  const releaseStep = (...words: string[]) =>
    run([process.execPath, script('main.ts'), ...words], {}, ROOT)

  test('refuses a tag that is not the version', () => {
    expect(releaseStep('tag', `v${VERSION}1`)).toMatchObject({
      exitCode: 1,
      errors: `the tag must be v${VERSION}, the version in package.json, and is "v${VERSION}1"\n`,
    })
  })

  test('refuses what it does not know', () => {
    for (const [words, sentence] of [
      [['fly'], 'bun run release tag TAG'],
      [['build', 'solaris'], 'no target "solaris"; there are linux-x64, '],
      [['files', '--repository', 'http://x'], '--repository must be an address'],
      [['image'], '--repository must be an address'],
    ] as const) {
      const { exitCode, errors } = releaseStep(...words)
      expect([exitCode, errors]).toEqual([1, expect.stringContaining(sentence)])
    }
  })

  test('signs in with the token on its standard input', () => {
    const { out } = run(['sh', script('sign-in.sh')], { TOKEN: 'secret', GITHUB_ACTOR: 'ada' })
    expect(out).toEqual(['login', 'ghcr.io', '--username', 'ada', '--password-stdin', 'secret'])
  })

  test('publishes the files of a release with what changed, unless a checksum is wrong', () => {
    const files = join(folder, 'dist/release')
    mkdirSync(files, { recursive: true })
    writeFileSync(join(files, 'CHANGES.md'), '- One.\n')
    const sum = new Bun.CryptoHasher('sha256').update('- One.\n').digest('hex')
    writeFileSync(join(files, 'SHA256SUMS'), `${sum}  CHANGES.md\n`)
    const publish = () =>
      run(['sh', script('publish.sh')], { GITHUB_REF_NAME: 'v1.2.3', GITHUB_REPOSITORY: 'a/b' })
    expect(publish()).toMatchObject({
      exitCode: 0,
      out: [
        'CHANGES.md: OK',
        ...['release', 'create', 'v1.2.3', '--repo', 'a/b', '--verify-tag'],
        ...['--title', 'Switchboard 1.2.3', '--notes-file', 'CHANGES.md'],
        ...['--', 'CHANGES.md', 'SHA256SUMS', ''],
      ],
    })
    writeFileSync(join(files, 'CHANGES.md'), '- Two.\n')
    const refused = publish()
    expect(refused.exitCode).not.toBe(0)
    expect(refused.out).not.toContain('create')
  })
})
