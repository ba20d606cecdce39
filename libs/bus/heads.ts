/** What a frame says before its body; the message's signature covers it (signed-batch.ts). */
export interface CallHead {
  number: number;
  params: Record<string, string>;
  query: string;
  headers: Record<string, string>;
  traceparent: string | null;
}

export interface AnswerHead {
  number: number;
  status: number;
  headers: Record<string, string>;
}
