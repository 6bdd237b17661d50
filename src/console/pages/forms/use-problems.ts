import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { call } from '../../api/client'
import type { CodeProblem } from '../../parts/code/code-field'
import { asJson } from './values'

/** Pause in typing after which a form is checked, milliseconds. */
const PAUSE_MS = 500

/** Returns what the server finds wrong in the text of a form, a moment after it was changed. */
export function useProblems(id: string, code: string, isNeeded: boolean): readonly CodeProblem[] {
  const [settled, setSettled] = useState(code)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(code)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
    }
  }, [code])
  const { data } = useQuery({
    queryKey: ['POST /api/flows/{id}/validate', id, settled],
    queryFn: ({ signal }) =>
      call('POST /api/flows/{id}/validate', {
        params: { id },
        body: { json_definition: asJson(settled) },
        signal,
      }),
    enabled: isNeeded && settled.trim() !== '',
    placeholderData: (before) => before,
    retry: false,
    gcTime: 0,
  })
  if (settled !== code && code.trim() === '') return []
  return (data?.errors ?? []).map(({ path, message, line }) => ({
    line,
    message: [path.replace(/^body\.json_definition\.?/, ''), message].join(' ').trim(),
  }))
}
