import type { ReactNode } from 'react'

import { Disclosure } from '../../../parts/disclosure'
import { t } from '../../../texts/texts'
import { FIELDS, INTERACTIVE_FIELDS, type Field } from '../model/fields'
import type { Config, Node } from '../model/graph'
import { kindOf, messageOf } from '../model/kinds'
import { ButtonsSetting, SectionsSetting, SynonymsSetting } from './choices'
import { ExpressionSetting } from './expression'
import { HeaderSetting, ProductsSetting } from './message-parts'
import { PairsSetting } from './pairs'
import { BoundSetting, ChoiceSetting, NumberSetting, VariableSetting } from './plain'
import {
  AttributesSetting,
  FileSetting,
  ParamsSetting,
  ReferenceSetting,
  TagsSetting,
} from './references'
import { changed, hintOf, labelOf, type FieldAs, type FieldProps } from './shape'
import { TextSetting } from './text'
import { HoursSetting, SecondsSetting } from './times'

type As = Field['as']

/** How each kind of settings is asked for. */
const SETTINGS: { [A in As]: (props: FieldProps<FieldAs<A>>) => ReactNode } = {
  text: TextSetting,
  line: TextSetting,
  number: NumberSetting,
  choice: ChoiceSetting,
  variable: VariableSetting,
  bound: BoundSetting,
  pairs: PairsSetting,
  reference: ReferenceSetting,
  switch: () => null, // beside the hours
  file: FileSetting,
  tags: TagsSetting,
  hours: HoursSetting,
  params: ParamsSetting,
  attributes: AttributesSetting,
  buttons: ButtonsSetting,
  sections: SectionsSetting,
  products: ProductsSetting,
  expression: ExpressionSetting,
  seconds: SecondsSetting,
  header: HeaderSetting,
  synonyms: SynonymsSetting,
}

interface Props {
  node: Node
  /** Changes the settings of the node. Changes with the same key are one step. */
  onChange: (config: Config, key: string) => void
}

/** All settings of a node. Those that most people never need are folded. */
export function Settings({ node, onChange }: Props) {
  const message = node.type === 'interactive' ? messageOf(node) : null
  const kind = kindOf(node)
  const ofMessage =
    message !== null && kind in INTERACTIVE_FIELDS
      ? INTERACTIVE_FIELDS[kind as keyof typeof INTERACTIVE_FIELDS]
      : []
  const all = [
    ...ofMessage.map((field) => ({ field, isOfMessage: true })),
    ...FIELDS[node.type].map((field) => ({ field, isOfMessage: false })),
  ]
  const show = ({ field, isOfMessage }: (typeof all)[number]): ReactNode => {
    const config = isOfMessage && message !== null ? message : node.config
    const path = isOfMessage ? `interactive.${field.name}` : field.name
    const Setting = SETTINGS[field.as] as (props: FieldProps) => ReactNode
    return (
      <Setting
        key={path}
        {...{ field, node, config, path }}
        label={labelOf(node, field.name)}
        {...hintOf(node, field.name)}
        onChange={(changes) => {
          const next = changed(config, changes)
          onChange(isOfMessage ? { ...node.config, interactive: next } : next, path)
        }}
      />
    )
  }
  const more = all.filter(({ field }) => field.isMore)
  return (
    <>
      {all.filter(({ field }) => !field.isMore).map(show)}
      {more.length > 0 && (
        <Disclosure title={t('flow.more')}>
          {() => <div className="form">{more.map(show)}</div>}
        </Disclosure>
      )}
    </>
  )
}
