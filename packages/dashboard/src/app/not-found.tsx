import { Link } from '@tanstack/react-router';
import { useWords } from '../words/words.js';

export function NotFound() {
  const { errors } = useWords();
  return (
    <main className="mx-auto grid max-w-md gap-3 p-8">
      <h1 className="text-xl font-semibold">{errors.notFound}</h1>
      <Link to="/" className="text-accent underline">
        {errors.home}
      </Link>
    </main>
  );
}
