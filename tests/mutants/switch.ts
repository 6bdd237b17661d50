/**
 * What the instrumented source calls in place of StrykerJS's own helpers: which mutation is active,
 * and a record of the mutations that a test reaches. Both lie in files beside this one, so that the
 * processes and threads that a test starts take part.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const pathOf = (name: string): string => join(import.meta.dir, `state.${name}`)
const readState = (name: string): string =>
  existsSync(pathOf(name)) ? readFileSync(pathOf(name), 'utf8') : ''

const active = readState('active')
const isRecording = existsSync(pathOf('hits'))
const seen = new Set<string>()
let currentTest: string | null = null

/** Names the test that what runs from now on belongs to. */
export function enterTest(test: string): void {
  currentTest = test
  if (isRecording) writeFileSync(pathOf('test'), test)
}

/** Whether a mutation is the active one. */
export const isActive = (id: string): boolean => id === active

/** Records the first time that the present test reaches the mutations. */
export function cover(...ids: string[]): void {
  if (!isRecording) return
  for (const id of ids) {
    const key = `${currentTest} ${id}`
    if (seen.has(key)) continue
    seen.add(key)
    appendFileSync(pathOf('hits'), `${currentTest ?? readState('test')} ${id}\n`)
  }
}
