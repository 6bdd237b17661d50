import { useState } from 'react'

import { Checkbox } from '../../../parts/choice'
import { TextArea, TextField } from '../../../parts/field'
import { Select } from '../../../parts/select'
import { findText, t } from '../../../texts/texts'
import {
  COMPARISONS,
  isAmount,
  needsValue,
  readSimple,
  writeSimple,
  type Simple,
} from '../model/expression'
import { textIn } from '../model/graph'
import type { FieldProps } from './shape'
import { useVariables } from './text'

/** What a flow asks itself: a comparison in words, or an expression. */
export function ExpressionSetting({ node, config, path, label, hint, onChange }: FieldProps) {
  const expression = textIn(config['expression'])
  const read = readSimple(expression)
  const variables = useVariables(node.id)
  const first = variables[0]?.name ?? ''
  // what is no expression yet
  const [open, setOpen] = useState<Simple | null>(null)
  const [isOwn, setOwn] = useState(expression !== '' && read === null)
  const simple = open ?? read ?? { variable: first, comparison: 'equals' as const, value: '' }
  const set = (changes: Partial<Simple>): void => {
    const next = { ...simple, ...changes }
    const written = writeSimple(next)
    setOpen(next)
    onChange({ expression: written ?? '' })
  }
  const names = new Set([...variables.map(({ name }) => name), simple.variable])
  return (
    <>
      {isOwn ? (
        <TextArea
          name={path}
          label={label}
          hint={hint ?? ''}
          value={expression}
          maxLength={1_000}
          onChange={(text) => {
            onChange({ expression: text })
          }}
        />
      ) : (
        <div className="flow-condition">
          <Select
            label={t('flow.compare-what')}
            choices={[...names].map((id) => ({ id, label: findText(`flow.variable.${id}`) ?? id }))}
            value={simple.variable}
            onChange={(variable) => {
              set({ variable })
            }}
          />
          <Select
            label={t('flow.compare')}
            choices={COMPARISONS.map((id) => ({ id, label: t(`flow.compare.${id}`) }))}
            value={simple.comparison}
            onChange={(comparison) => {
              set({ comparison })
            }}
          />
          {needsValue(simple.comparison) && (
            <TextField
              name={path}
              label={t('flow.compare-value')}
              value={simple.value}
              {...(isAmount(simple.comparison) ? { inputMode: 'decimal' as const } : {})}
              onChange={(value) => {
                set({ value })
              }}
            />
          )}
        </div>
      )}
      <Checkbox
        isSelected={isOwn}
        onChange={(isOn) => {
          setOpen(null)
          setOwn(isOn)
        }}
      >
        {t('flow.compare-own')}
      </Checkbox>
    </>
  )
}
