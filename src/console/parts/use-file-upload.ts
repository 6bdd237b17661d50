import { useRef, useState } from 'react'

/** Returns how a file is uploaded: whether one is on its way, what went wrong, and how to stop it. */
export function useFileUpload(): {
  isBusy: boolean
  error: unknown
  run: (work: (signal: AbortSignal) => Promise<void>) => void
  cancel: () => void
} {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const sending = useRef<AbortController | null>(null)
  return {
    ...{ isBusy, error },
    run: (work) => {
      const abort = new AbortController()
      sending.current = abort
      setBusy(true)
      setError(null)
      work(abort.signal)
        .catch((problem: unknown) => {
          if (!abort.signal.aborted) setError(problem)
        })
        .finally(() => {
          setBusy(false)
        })
    },
    cancel: () => sending.current?.abort(),
  }
}
