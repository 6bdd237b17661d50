import { useEffect, useSyncExternalStore } from 'react'

import type { IconName } from './icons'
import { useLatest } from './use-latest'

/** Something that can be done on the page that is shown. */
export interface PageCommand {
  id: string
  label: string
  icon: IconName
  /** The single key that does the same. */
  shortcut?: string
  run: () => void
}

let known: readonly (readonly PageCommand[])[] = []
const listeners = new Set<() => void>()

function change(next: typeof known): void {
  known = next
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Offers commands in the palette while the part that calls it is shown. */
export function usePageCommands(commands: readonly PageCommand[]): void {
  const run = useLatest((id: string) => {
    commands.find((one) => one.id === id)?.run()
  })
  const names = JSON.stringify(commands)
  useEffect(() => {
    const offered = (JSON.parse(names) as Omit<PageCommand, 'run'>[]).map((one) => ({
      ...one,
      run: () => {
        run(one.id)
      },
    }))
    change([...known, offered])
    return () => {
      change(known.filter((one) => one !== offered))
    }
  }, [names, run])
}

/** Returns the commands of the page that is shown. */
export const useOfferedCommands = (): readonly PageCommand[] =>
  useSyncExternalStore(subscribe, () => known).flat()

/** Puts a canned response into what is being written. */
type Insert = (id: string) => void
let insert: Insert | null = null

/** Takes canned responses from the palette while a message is being written; `null` takes none. */
export function useCannedTarget(take: Insert | null): void {
  const latest = useLatest((id: string) => {
    take?.(id)
  })
  const isTaking = take !== null
  useEffect(() => {
    if (!isTaking) return undefined
    insert = latest
    return () => {
      if (insert === latest) insert = null
    }
  }, [isTaking, latest])
}

/** Returns what puts a canned response into the message that is being written, or `null`. */
export const cannedTarget = (): Insert | null => insert
