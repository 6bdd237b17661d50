import { findText } from '../../../texts/texts'
import type { Field } from '../model/fields'
import type { Config, Node } from '../model/graph'
import { kindOf } from '../model/kinds'

/** What a field of a setting needs. */
export interface FieldProps<F extends Field = Field> {
  field: F
  node: Node
  /** The settings that it is one of: those of the node, or of the message that the node sends. */
  config: Config
  /** Its path in the settings of the node, at which problems are found. */
  path: string
  /** What it is called. */
  label: string
  hint?: string
  /** Changes settings. What is `undefined` is left out. */
  onChange: (changes: Record<string, unknown>) => void
}

/** A setting that is asked for in a certain way. */
export type FieldAs<A extends Field['as']> = Extract<Field, { as: A }>

const textOf = (what: 'field' | 'hint', node: Node, name: string): string | null =>
  findText(`flow.${what}.${kindOf(node)}.${name}`) ?? findText(`flow.${what}.${name}`)

/** Returns what a setting is called. */
export const labelOf = (node: Node, name: string): string => textOf('field', node, name) ?? name

/** Returns what helps to fill in a setting. */
export const hintOf = (node: Node, name: string): { hint?: string } => {
  const hint = textOf('hint', node, name)
  return hint === null ? {} : { hint }
}

/** Returns settings with changes; what is `undefined` is left out. */
export const changed = (config: Config, changes: Record<string, unknown>): Config =>
  Object.fromEntries(
    Object.entries({ ...config, ...changes }).filter(([, value]) => value !== undefined),
  )
