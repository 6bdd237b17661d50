import { useRef } from 'react'

import { useApi } from '../../../live/query'
import { useCan } from '../../../live/me'
import { Button } from '../../../parts/button'
import { counted, lengthOf } from '../../../parts/counted'
import { TextArea, TextField } from '../../../parts/field'
import { Menu, MenuItem, MenuSection } from '../../../parts/menu'
import { findText, t } from '../../../texts/texts'
import { nodeOf, textIn } from '../model/graph'
import { variablesAt, type Variable } from '../model/variables'
import { useFlow } from '../use-flow'
import { titleOf } from '../words'
import type { FieldAs, FieldProps } from './shape'

/** Returns the values that can be used in the texts of a node; of the flow itself for `null`. */
export function useVariables(id: string | null): Variable[] {
  const { graph } = useFlow()
  const may = useCan('contacts:read')
  const { data } = useApi('GET /api/contact-attributes', {}, may)
  return variablesAt(graph, id, data?.items.map(({ key }) => key) ?? [])
}

interface TextProps {
  /** The node whose text it is; `null` for a text of the flow itself. */
  node: string | null
  name: string
  label: string
  hint?: string
  value: string
  most: number
  rows?: number
  onChange: (value: string) => void
}

/** A text in which values can be put, such as an answer of the customer. */
export function VariableText({ node, rows = 3, hint, most, ...props }: TextProps) {
  const box = useRef<HTMLDivElement>(null)
  const put = (name: string): void => {
    const area = box.current?.querySelector<HTMLInputElement>('textarea, input')
    const { value, onChange } = props
    const at = area?.selectionStart ?? value.length
    const words = `{{ ${name} }}`
    onChange(value.slice(0, at) + words + value.slice(area?.selectionEnd ?? at))
    requestAnimationFrame(() => {
      area?.focus()
      area?.setSelectionRange(at + words.length, at + words.length)
    })
  }
  const shown = {
    ...props,
    hint: counted({ value: props.value, most, ...(hint === undefined ? {} : { hint }) }),
    isInvalid: lengthOf(props.value) > most,
  }
  return (
    <div className="flow-text" ref={box}>
      {rows === 1 ? <TextField {...shown} /> : <TextArea {...shown} rows={rows} />}
      <Variables node={node} onPick={put} />
    </div>
  )
}

/** A button with the values that are known at a node. */
function Variables({ node, onPick }: { node: string | null; onPick: (name: string) => void }) {
  const { graph } = useFlow()
  const variables = useVariables(node)
  const stored = variables.filter(({ by }) => by !== null)
  const item = ({ name, by }: Variable) => {
    const from = by === null ? undefined : nodeOf(graph, by)
    return (
      <MenuItem
        key={name}
        label={findText(`flow.variable.${name}`) ?? name}
        detail={from ? titleOf(from).slice(0, MOST_LETTERS) : ''}
        onAction={() => {
          onPick(name)
        }}
      />
    )
  }
  return (
    <Menu
      label={t('flow.insert')}
      button={
        <Button look="quiet" icon="plus">
          {t('flow.insert')}
        </Button>
      }
    >
      {stored.length > 0 && (
        <MenuSection title={t('flow.insert-stored')}>{stored.map(item)}</MenuSection>
      )}
      <MenuSection title={t('flow.insert-always')}>
        {variables.filter(({ by }) => by === null).map(item)}
      </MenuSection>
    </Menu>
  )
}

const MOST_LETTERS = 24

/** A setting that is a text with values. */
export function TextSetting({
  field,
  node,
  config,
  path,
  label,
  hint,
  onChange,
}: FieldProps<FieldAs<'text'> | FieldAs<'line'>>) {
  return (
    <VariableText
      node={node.id}
      name={path}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      value={textIn(config[field.name])}
      most={field.most}
      rows={field.as === 'line' ? 1 : (field.rows ?? 3)}
      onChange={(value) => {
        // an empty text is none, but what has to be written stays there to be written
        const isKept = value !== '' || NEEDED.has(field.name)
        onChange({ [field.name]: isKept ? value : undefined })
      }}
    />
  )
}

const NEEDED = new Set(['message', 'body', 'url', 'cta', 'button_text', 'catalog_id'])
