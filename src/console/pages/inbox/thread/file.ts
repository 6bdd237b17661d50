import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { request } from '../../../api/client'

/** Loads a file; its address is freed when nothing shows it anymore. */
export function useFile(id: string, isNeeded = true): { url: string | null; isError: boolean } {
  const { data, isError } = useQuery({
    queryKey: ['file', id],
    queryFn: async ({ signal }) =>
      await (await request('GET /api/media/{id}', { params: { id }, signal })).blob(),
    enabled: isNeeded,
    gcTime: 60_000,
  })
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!data) return
    const made = URL.createObjectURL(data)
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
    }
  }, [data])
  return { url, isError }
}

/** Saves a file on the device. */
export async function download({
  id,
  filename,
}: {
  id: string
  filename: string | null
}): Promise<void> {
  const response = await request('GET /api/media/{id}', { params: { id } })
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = filename ?? id
  link.click()
  setTimeout(() => {
    URL.revokeObjectURL(url)
  }, 1_000)
}
