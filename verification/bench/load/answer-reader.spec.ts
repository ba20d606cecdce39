import { AnswerReader } from './http-load';

function read(...chunks: string[]): { complete: boolean[]; status: number } {
  const reader = new AnswerReader();
  const complete = chunks.map((chunk) => reader.take(Buffer.from(chunk)));
  return { complete, status: reader.status };
}

describe('the reader of answers', () => {
  it('finds the end by the length, wherever the bytes are cut', () => {
    const answer = 'HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nabcd';
    expect(read(answer)).toEqual({ complete: [true], status: 201 });
    expect(read(answer.slice(0, 30), answer.slice(30, 46), answer.slice(46))).toEqual({
      complete: [false, false, true],
      status: 201,
    });
  });

  it('reads an answer without a body', () => {
    expect(read('HTTP/1.1 204 No Content\r\n\r\n')).toEqual({ complete: [true], status: 204 });
  });

  it('finds the end of a chunked answer, also when its mark is cut', () => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(read(`${head}3\r\nabc\r\n0\r\n\r\n`).complete).toEqual([true]);
    expect(read(head, '3\r\nabc\r\n0\r', '\n\r\n').complete).toEqual([false, false, true]);
  });

  it('reads one answer after the other', () => {
    const one = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na';
    const two = 'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
    expect(read(one, two)).toEqual({ complete: [true, true], status: 503 });
  });

  it('distinguishes refusals with and without Retry-After', () => {
    const outcomeOf = (answer: string): string => {
      const reader = new AnswerReader();
      reader.take(Buffer.from(answer));
      return reader.outcome;
    };
    const refusal = 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n';
    expect(outcomeOf(`${refusal}Retry-After: 1\r\n\r\n`)).toBe('503');
    expect(outcomeOf(`${refusal}\r\n`)).toBe('503 without Retry-After');
    expect(outcomeOf('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')).toBe('200');
  });
});
