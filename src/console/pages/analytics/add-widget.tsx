import { useState } from 'react'

import type { Widget } from '../../api/shapes'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { FoundSelect } from '../../parts/found-select'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'
import { WIDGET_CHOICES } from './widget-choices'

/** Stands for the ID of a widget that the server has not seen. */
export const NEW = ''

/** Stands for all numbers. */
const ANY = 'any'

const PERIODS = ['today', 'week', 'month', 'quarter', 'year'] as const

interface AddProps {
  onAdd: (widget: Widget) => Promise<void>
  onClose: () => void
}

/** The window in which something is put on the board. */
export function AddWidget({ onAdd, onClose }: AddProps) {
  const [chosen, setChosen] = useState(WIDGET_CHOICES[0]?.id ?? '')
  const [period, setPeriod] = useState<Widget['period']>('month')
  const [account, setAccount] = useState<string>(ANY)
  const choice = WIDGET_CHOICES.find(({ id }) => id === chosen)
  return (
    <FormDialog
      title={t('analytics.board.add')}
      submit={t('analytics.board.add-action')}
      onClose={onClose}
      onSave={async (data) => {
        if (!choice) return
        const { report: of, metric, kind, text } = choice
        const filters = { ...choice.filters, ...(account === ANY ? {} : { account_id: account }) }
        const size = kind === 'number' ? ('small' as const) : ('large' as const)
        await onAdd({
          ...{ id: NEW, report: of, metric, kind, period, size, filters },
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
        onChange={(id) => {
          setChosen(id)
          if (id.startsWith('agents ')) setAccount(ANY) // people are counted over all numbers
        }}
      />
      <Select
        label={t('analytics.board.period')}
        choices={PERIODS.map((id) => ({ id, label: t(`analytics.board.${id}`) }))}
        value={period}
        onChange={setPeriod}
      />
      {choice && choice.report !== 'agents' && (
        <FoundSelect
          kind="account"
          label={t('analytics.filter.account')}
          isHiddenIfEmpty
          first={[{ id: ANY, label: t('analytics.filter.any-account') }]}
          value={account}
          onChange={setAccount}
        />
      )}
      <TextField
        name="title"
        label={t('analytics.board.title')}
        placeholder={choice ? t(choice.text) : ''}
        maxLength={60}
      />
    </FormDialog>
  )
}
