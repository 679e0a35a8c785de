#include "yona/data/documents/document_reader.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yona/base/error.h"

#include "tests/harness/temp_dir.h"

namespace yona::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class DocumentReaderTest : public ::testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, const std::string& text) const {
    write_bytes(folder_ / name, text);
    return folder_ / name;
  }
  static std::vector<DocumentReader::Part> parts_of(std::vector<std::filesystem::path> files,
                                                    DocumentUnit unit) {
    DocumentReader reader(std::move(files), unit);
    std::vector<DocumentReader::Part> parts;
    for (DocumentReader::Part part; reader.next(part);) {
      parts.push_back(part);
    }
    return parts;
  }
  // Parts joined up to where a document ends; a document without an end is marked.
  static std::vector<std::string> documents_of(std::vector<std::filesystem::path> files,
                                               DocumentUnit unit) {
    std::vector<std::string> documents;
    bool begins = true;
    for (const DocumentReader::Part& part : parts_of(std::move(files), unit)) {
      if (begins) {
        documents.emplace_back();
      }
      documents.back() += part.text;
      begins = part.ends;
    }
    if (!begins) {
      documents.emplace_back("(the last document has no end)");
    }
    return documents;
  }

  TempDir folder_;
};

TEST_F(DocumentReaderTest, EveryLineThatIsNotBlankIsADocument) {
  const auto one = file("one.txt", "first line\n\n  \t\nsecond\r\n");
  const auto two = file("two.txt", "third, without a line feed");
  EXPECT_THAT(documents_of({one, two}, DocumentUnit::line),
              ElementsAre("first line", "second", "third, without a line feed"));
}

TEST_F(DocumentReaderTest, EveryFileThatIsNotEmptyIsADocumentToTheByte) {
  const auto one = file("one.txt", "\n first\n\nline\r\n");
  const auto empty = file("empty.txt", "");
  const auto two = file("two.txt", "x");
  EXPECT_THAT(documents_of({empty, one, empty, two, empty}, DocumentUnit::file),
              ElementsAre("\n first\n\nline\r\n", "x"));
  EXPECT_THAT(documents_of({empty}, DocumentUnit::file), IsEmpty());
  EXPECT_THAT(documents_of({}, DocumentUnit::file), IsEmpty());
}

TEST_F(DocumentReaderTest, ALargeFileComesInPartsThatEndAfterALine) {
  std::string text;
  while (text.size() < (std::size_t{5} << 20U)) {
    text += "a line of text\n\n  indented\nlast of three\n";
  }
  const auto parts = parts_of({file("large.txt", text)}, DocumentUnit::file);
  ASSERT_GT(parts.size(), 2U);
  std::string whole;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    whole += parts[i].text;
    EXPECT_EQ(parts[i].ends, i + 1 == parts.size());
    if (i > 0) {
      EXPECT_NE(parts[i].text.front(), ' ');
      EXPECT_NE(parts[i].text.front(), '\n');
      EXPECT_EQ(parts[i - 1].text.back(), '\n');
    }
  }
  EXPECT_TRUE(whole == text);
}

// There is no place to cut at, so that the text is cut between two characters.
TEST_F(DocumentReaderTest, AFileWithoutLinesIsCutBetweenCharactersOfAnyLength) {
  const std::vector<std::pair<std::string, std::string>> cases{{"", "\xF0\x9F\x98\x80"},
                                                               {"x", "\xF0\x9F\x98\x80"},
                                                               {"xy", "\xF0\x9F\x98\x80"},
                                                               {"xyz", "\xF0\x9F\x98\x80"},
                                                               {"", "\xE4\xB8\xAD"}};
  for (const auto& [front, character] : cases) {
    std::string text = front;
    while (text.size() < (std::size_t{16} << 20U) + 5000) {
      text += character;
    }
    const auto documents = documents_of({file("long.txt", text)}, DocumentUnit::file);
    ASSERT_THAT(documents, SizeIs(1)) << character << " after " << front;
    EXPECT_TRUE(documents[0] == text) << character << " after " << front;
  }
}

TEST_F(DocumentReaderTest, ADocumentEndsAlsoWhereAPartIsAsLongAsTheFile) {
  const std::string full(std::size_t{16} << 20U, 'a');
  const auto documents = documents_of(
      {file("full.txt", full), file("next.txt", "next"), folder_ / "full.txt"}, DocumentUnit::file);
  ASSERT_THAT(documents, SizeIs(3));
  EXPECT_TRUE(documents[0] == full);
  EXPECT_EQ(documents[1], "next");
  EXPECT_TRUE(documents[2] == full);
}

TEST_F(DocumentReaderTest, TextThatIsNotUtf8IsNamed) {
  const auto bad = file("bad.txt", "fine\nnot \xFF fine\n");
  EXPECT_THAT(message_of<FormatError>([&] { parts_of({bad}, DocumentUnit::line); }),
              HasSubstr("bad.txt:2: is not UTF-8"));
  EXPECT_THAT(message_of<FormatError>([&] { parts_of({bad}, DocumentUnit::file); }),
              HasSubstr("bad.txt: is not UTF-8"));
  const auto cut = file("cut.txt", "ends within a character \xE4\xB8");
  EXPECT_THAT(message_of<FormatError>([&] { parts_of({cut}, DocumentUnit::file); }),
              HasSubstr("cut.txt: is not UTF-8"));
}

TEST_F(DocumentReaderTest, AFileThatIsNotThereIsNamed) {
  for (const DocumentUnit unit : {DocumentUnit::line, DocumentUnit::file}) {
    EXPECT_THAT(message_of<IoError>([&] { parts_of({folder_ / "nowhere"}, unit); }),
                HasSubstr("nowhere: No such file"));
  }
}

TEST(CutAfterLine, NeedsTextOnBothSides) {
  EXPECT_EQ(cut_after_line("ab\ncd", 0), 3U);
  EXPECT_EQ(cut_after_line("ab\ncd\nef", 3), 6U);
  EXPECT_EQ(cut_after_line("ab\n\ncd \nef\n gh\n", 0), std::string_view::npos);
  EXPECT_EQ(cut_after_line("", 0), std::string_view::npos);
  EXPECT_EQ(cut_after_line("ab\n", 9), std::string_view::npos);
}

}  // namespace
}  // namespace yona::testing
