import { useState } from 'react'

/** What a form holds, and how its fields change it. */
export interface Draft<T> {
  /** What is stored, with what was changed since. */
  value: T
  /** What differs from what is stored. */
  changes: Partial<T>
  /** What was stored when the person began to change it. */
  seen: T
  /** Changes fields. A field that is as it is stored again counts as unchanged. */
  set: (changes: Partial<T>) => void
  /** Forgets the changes: all of them, or those that are as they were `sent`. */
  discard: (sent?: Partial<T>) => void
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Returns the fields of one that are not the same in the other. */
export const differing = <T extends object>(one: Partial<T>, other: Partial<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(one).filter(([name, value]) => !isSame(value, other[name as keyof T])),
  ) as Partial<T>

/** Keeps what a person changed about `saved`. What they did not change follows it. */
export function useDraft<T extends object>(saved: T): Draft<T> {
  const [changed, setChanged] = useState<Partial<T>>({})
  const [begun, setBegun] = useState<T | null>(null)
  const changes = differing(changed, saved)
  const isChanged = Object.keys(changes).length > 0
  return {
    value: { ...saved, ...changes },
    changes,
    seen: (isChanged ? begun : null) ?? saved,
    set: (more) => {
      if (!isChanged) setBegun(saved)
      setChanged((before) => ({ ...before, ...more }))
    },
    discard: (sent) => {
      setChanged((before) => (sent ? differing(before, sent) : {}))
    },
  }
}
