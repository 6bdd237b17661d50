import { useState } from 'react'

import type { Widget } from '../../api/shapes'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { WIDGET_CHOICES } from './widget-choices'

/** Stands for the ID of a widget that the server has not seen. */
export const NEW = ''

const PERIODS = ['today', 'week', 'month', 'quarter', 'year'] as const

interface AddProps {
  onAdd: (widget: Widget) => Promise<void>
  onClose: () => void
}

/** The window in which something is put on the board. */
export function AddWidget({ onAdd, onClose }: AddProps) {
  const [chosen, setChosen] = useState(WIDGET_CHOICES[0]?.id ?? '')
  const [period, setPeriod] = useState<Widget['period']>('month')
  const choice = WIDGET_CHOICES.find(({ id }) => id === chosen)
  return (
    <FormDialog
      title={t('analytics.board.add')}
      submit={t('analytics.board.add-action')}
      onClose={onClose}
      onSave={async (data) => {
        if (!choice) return
        const { report: of, metric, kind, filters = {}, text } = choice
        await onAdd({
          ...{ id: NEW, report: of, metric, kind, period, filters },
          ...{ title: textOf(data, 'title').trim() || t(text), compare: true, problem: null },
        })
      }}
    >
      <Select
        label={t('analytics.board.figure')}
        choices={WIDGET_CHOICES.map(({ id, text, kind }) => ({
          ...{ id, label: t(text), hint: t(`analytics.board.kind-${kind}`) },
        }))}
        value={chosen}
        onChange={setChosen}
      />
      <Select
        label={t('analytics.board.period')}
        choices={PERIODS.map((id) => ({ id, label: t(`analytics.board.${id}`) }))}
        value={period}
        onChange={setPeriod}
      />
      <TextField
        name="title"
        label={t('analytics.board.title')}
        placeholder={choice ? t(choice.text) : ''}
        maxLength={60}
      />
    </FormDialog>
  )
}
