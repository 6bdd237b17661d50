import { useState, type ComponentProps } from 'react'

import { Select } from './select'

/** What is listed at most; a search finds the others. */
const MOST_LISTED = 50

/** A field to choose one of many, which a search finds. */
export function SearchSelect({ choices, value, ...field }: ComponentProps<typeof Select<string>>) {
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const chosen = choices.find(({ id }) => id === value)
  const found = choices.filter(
    (choice) => choice !== chosen && choice.label.toLowerCase().includes(wanted),
  )
  const first = chosen && wanted === '' ? [chosen] : []
  return (
    <Select
      {...field}
      value={value}
      choices={[...first, ...found.slice(0, MOST_LISTED)]}
      {...(chosen ? { chosen: chosen.label } : {})}
      onSearch={setWords}
    />
  )
}
