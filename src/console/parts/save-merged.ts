import type { ReactNode } from 'react'

import { ApiError } from '../api/error'
import { differing } from './draft'

/** How a form shows what somebody else saved while it was open. */
export interface Merge<T> {
  /** Returns what the form has of the object that is stored now. */
  read: (present: unknown) => Partial<T>
  /** What people call a field. */
  label: (field: keyof T) => string
  /** Says a value in words, beside the one of the other side; `null` as `shownValue` does. */
  show?: (field: keyof T, value: unknown, other: unknown) => ReactNode
  /**
   * Reads what is stored now, for what WhatsApp keeps: nothing says when it was changed, so it is
   * compared before something is saved.
   */
  now?: () => Promise<unknown>
}

/** What two people saved about the same thing. */
export interface Clash<T> {
  /** What is stored now. */
  present: T
  mine: Partial<T>
  /** Fields that both changed to something else. */
  fields: (keyof T)[]
}

/** A change, and how it is sent. */
export interface Saving<T> {
  /** Without it, nothing is merged. */
  merge: Merge<T> | undefined
  mine: Partial<T>
  /** What the person had before them. */
  seen: T
  send: (mine: Partial<T>, seen: T) => Promise<unknown>
}

/** Whether nothing differs. */
const isNothing = (changes: object): boolean => Object.keys(changes).length === 0

/** Sends changes, or returns what somebody else stored meanwhile. Throws what `send` throws. */
async function sendUnlessChanged<T extends object>(saving: Saving<T>): Promise<unknown> {
  const { merge, mine, seen, send } = saving
  const stored = await merge?.now?.()
  if (merge && stored !== undefined && !isNothing(differing(merge.read(stored), seen)))
    return stored
  try {
    await send(mine, seen)
    return null
  } catch (problem) {
    if (!merge || !(problem instanceof ApiError) || problem.code !== 'changed_meanwhile')
      throw problem
    return (problem.more.details as { present: unknown }).present
  }
}

/** How a change is saved beside those of others. */
interface Merging<T> extends Saving<T> {
  /** Shows what is stored when nothing is left to save. */
  reload: () => Promise<void>
  /** Returns what a person chooses of their own changes where both changed a field. */
  choose: (clash: Clash<T>) => Promise<Partial<T>>
}

/**
 * Saves changes. What somebody else saved meanwhile is kept; where both changed a field, the person
 * chooses. Never sends a change without a field. Throws what `send` and `choose` throw.
 */
export async function saveMerged<T extends object>(merging: Merging<T>): Promise<void> {
  const { merge, mine, seen, send, reload, choose } = merging
  const stored = await sendUnlessChanged(merging)
  if (!merge || stored === null) return
  const read = merge.read(stored)
  const present = { ...seen, ...read }
  const both = differing(mine, { ...mine, ...differing(read, seen) })
  const hasClash = !isNothing(both)
  const left = hasClash
    ? await choose({ present, mine, fields: Object.keys(both) as (keyof T)[] })
    : differing(mine, present)
  if (isNothing(left)) await reload()
  else if (hasClash) await saveMerged({ ...merging, mine: left, seen: present })
  else await send(left, present)
}
